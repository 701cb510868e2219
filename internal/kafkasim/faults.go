package kafkasim

import (
	"sync"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// A Fault changes what happens to some requests. What is set applies in this order: it waits for Delay; if Applied, the
// request takes effect; then exactly one of Drop, Hang and Code decides the answer, and without any of them the request
// goes on as usual. So Fault{Applied: true, Code: CodeRequestTimedOut} is a write that was done and reported as timed
// out, and Fault{Applied: true, Drop: true} one whose answer was lost.
type Fault struct {
	Key    protocol.APIKey
	Any    bool                        // of any API, whatever Key says
	Broker int32                       // 0: on any
	Match  func(protocol.Request) bool // nil: any request
	Skip   int                         // let so many pass first
	Times  int                         // 0: until removed

	Delay   time.Duration
	Applied bool
	Code    protocol.ErrorCode // in every place where the answer has one
	Drop    bool               // close the connection
	Hang    bool               // don't answer, until the fault is removed or the connection closed
}

// A FaultHandle says how often a fault struck, and ends it.
type FaultHandle struct {
	faults  *faults
	fault   Fault
	removed chan struct{}

	hits, skipped int // guarded by faults.mu
	gone          bool
}

// Hits is how many requests the fault has struck.
func (h *FaultHandle) Hits() int {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	return h.hits
}

// Remove ends the fault; what hangs by it is dropped.
func (h *FaultHandle) Remove() {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	if !h.gone {
		h.gone = true
		close(h.removed)
	}
}

// Fail makes requests fail. Of several faults that fit, the one that was set first strikes.
func (c *Cluster) Fail(f Fault) *FaultHandle {
	h := &FaultHandle{faults: c.faults, fault: f, removed: make(chan struct{})}
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.handles = append(c.faults.handles, h)
	return h
}

type faults struct {
	mu      sync.Mutex
	handles []*FaultHandle
}

func newFaults() *faults { return &faults{} }

// strike returns the fault that a request meets.
func (f *faults) strike(broker int32, req protocol.Request) *FaultHandle {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.handles {
		switch {
		case h.gone, !h.fault.Any && h.fault.Key != req.Key(), h.fault.Broker != 0 && h.fault.Broker != broker,
			h.fault.Times > 0 && h.hits == h.fault.Times, h.fault.Match != nil && !h.fault.Match(req):
			continue
		case h.skipped < h.fault.Skip:
			h.skipped++
			continue
		}
		h.hits++
		return h
	}
	return nil
}

func (f *faults) releaseAll() {
	f.mu.Lock()
	handles := f.handles
	f.mu.Unlock()
	for _, h := range handles {
		h.Remove()
	}
}

// failed is a response in which every part has failed with one code, as Kafka's getErrorResponse makes them.
func failed(req protocol.Request, code protocol.ErrorCode) protocol.Response {
	switch req := req.(type) {
	case *protocol.ApiVersionsRequest:
		resp := protocol.NewApiVersionsResponse()
		resp.ErrorCode = code
		return resp
	case *protocol.MetadataRequest:
		resp := protocol.NewMetadataResponse()
		resp.ErrorCode = code
		for _, t := range req.Topics {
			failed := protocol.NewMetadataResponseTopic()
			failed.ErrorCode, failed.Name, failed.TopicID = code, protocol.StringOf(t.Name.S), t.TopicID
			resp.Topics = append(resp.Topics, failed)
		}
		return resp
	case *protocol.DescribeClusterRequest:
		resp := protocol.NewDescribeClusterResponse()
		resp.ErrorCode = code
		return resp
	case *protocol.CreateTopicsRequest:
		resp := &protocol.CreateTopicsResponse{}
		for _, t := range req.Topics {
			result := protocol.NewCreatableTopicResult()
			result.Name, result.ErrorCode, result.Configs = t.Name, code, []protocol.CreatableTopicConfigs{}
			resp.Topics = append(resp.Topics, result)
		}
		return resp
	case *protocol.DeleteTopicsRequest:
		resp := &protocol.DeleteTopicsResponse{}
		for _, t := range req.Topics {
			resp.Responses = append(resp.Responses, protocol.DeletableTopicResult{Name: t.Name, TopicID: t.TopicID, ErrorCode: code})
		}
		for _, name := range req.TopicNames {
			resp.Responses = append(resp.Responses, protocol.DeletableTopicResult{Name: protocol.StringOf(name), ErrorCode: code})
		}
		return resp
	case *protocol.CreatePartitionsRequest:
		resp := &protocol.CreatePartitionsResponse{}
		for _, t := range req.Topics {
			resp.Results = append(resp.Results, protocol.CreatePartitionsTopicResult{Name: t.Name, ErrorCode: code})
		}
		return resp
	case *protocol.DescribeConfigsRequest:
		resp := &protocol.DescribeConfigsResponse{}
		for _, r := range req.Resources {
			resp.Results = append(resp.Results, protocol.DescribeConfigsResult{ErrorCode: code, ResourceType: r.ResourceType, ResourceName: r.ResourceName})
		}
		return resp
	case *protocol.IncrementalAlterConfigsRequest:
		resp := &protocol.IncrementalAlterConfigsResponse{}
		for _, r := range req.Resources {
			resp.Responses = append(resp.Responses, protocol.AlterConfigsResourceResponse{ErrorCode: code, ResourceType: r.ResourceType, ResourceName: r.ResourceName})
		}
		return resp
	case *protocol.InitProducerIdRequest:
		resp := protocol.NewInitProducerIdResponse()
		resp.ErrorCode, resp.ProducerEpoch = code, -1
		return resp
	case *protocol.ProduceRequest:
		resp := &protocol.ProduceResponse{}
		for _, data := range req.TopicData {
			t := protocol.TopicProduceResponse{Name: data.Name, TopicID: data.TopicID}
			for _, p := range data.PartitionData {
				r := protocol.NewPartitionProduceResponse()
				r.Index, r.ErrorCode, r.BaseOffset = p.Index, code, -1
				t.PartitionResponses = append(t.PartitionResponses, r)
			}
			resp.Responses = append(resp.Responses, t)
		}
		return resp
	}
	panic("kafkasim: no failed response for " + req.Key().String())
}

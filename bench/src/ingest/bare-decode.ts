import protobuf from 'protobufjs'
import { modelSpans, smallSpans } from './bodies.ts'

/** The part of OTLP that the bodies of this benchmark use. */
const schema = `syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Span {
	bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
	fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
	uint32 dropped_attributes_count = 10; uint32 dropped_events_count = 12; uint32 dropped_links_count = 14; Status status = 15; fixed32 flags = 16;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; bytes bytes_value = 7; } }`

const rounds = 5

/** The processor time for building objects of the same bodies with protobufjs, in µs per span: the minimum of several rounds. */
export function measureBareDecode(): number {
	const request = protobuf.parse(schema).root.lookupType('Request')
	const templates = [smallSpans(), modelSpans()]
	const bodies = templates.flatMap((template) => Array.from({ length: 20 }, () => template.next()))
	const spans = templates.reduce((sum, template) => sum + 20 * template.spans, 0)
	let least = Number.POSITIVE_INFINITY
	for (let round = 0; round < rounds; round += 1) {
		const before = process.cpuUsage()
		for (const body of bodies) request.decode(body)
		const { user, system } = process.cpuUsage(before)
		least = Math.min(least, (user + system) / spans)
	}
	return least
}

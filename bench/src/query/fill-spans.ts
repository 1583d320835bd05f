import type { TelemetryStore } from '../../../server/src/platform/clickhouse/store.ts'

const spansPerTrace = 10
/** By one agent, for one user, with one client. */
const tracesPerSession = 5
const tracesPerStatement = 50_000
export const storedDays = 7

export interface FilledSpans {
	rows: number
	fillMs: number
	/** End of the newest row. */
	endMs: number
}

/**
 * Writes traces of ten spans into a workspace, spread evenly over the seven days before `endMs`, until there are `rows` or `atMostMs`
 * have passed. Of ten spans four are counted calls: two model calls and two tool calls. In every fourth trace the first tool call was
 * also recorded by the agent's SDK and the server's, so that three rows are one call.
 */
export async function fillSpans(
	store: Pick<TelemetryStore, 'command'>,
	workspaceId: string,
	{ rows, endMs, atMostMs }: { rows: number; endMs: number; atMostMs: number },
): Promise<FilledSpans> {
	const begunMs = performance.now()
	const statements = Math.ceil(rows / spansPerTrace / tracesPerStatement)
	let done = 0
	for (; done < statements && performance.now() - begunMs < atMostMs; done++)
		await store.command(insert, {
			workspace: workspaceId,
			first: done * tracesPerStatement * spansPerTrace,
			count: tracesPerStatement * spansPerTrace,
			from: endMs - storedDays * 86_400_000 + (done * storedDays * 86_400_000) / statements,
			length: (storedDays * 86_400_000) / statements,
		})
	const missingMs = ((statements - done) * storedDays * 86_400_000) / statements
	return {
		rows: done * tracesPerStatement * spansPerTrace,
		fillMs: performance.now() - begunMs,
		endMs: Math.floor(endMs - missingMs),
	}
}

const traceId = (trace: string) => `sipHash128(${trace})`
const spanId = (number: string) => `reinterpretAsFixedString(sipHash64(${number}))`
const uuid = (kind: number, number: string) =>
	`concat('0192f0c1-000${kind}-7000-8000-', leftPad(toString(${number}), 12, '0'))`
/** The position of each span's parent in its trace. */
const parents = '[0, 0, 0, 2, 3, 0, 0, 4, 4, 4]'

const columns: Record<string, string> = {
	workspace_id: '{workspace:String}',
	retention_days: '30',
	started_at:
		"fromUnixTimestamp64Milli(toInt64({from:Int64} + intDiv((number - {first:UInt64}) * {length:UInt64}, {count:UInt64})), 'UTC')",
	duration_ns: "if(kind IN ('tool_call', 'model_call'), 1000000 + sipHash64(number, 1) % 2000000000, 100000)",
	trace_id: traceId('trace'),
	span_id: spanId('number'),
	parent_span_id: `if(place = 0, toFixedString('', 8), ${spanId(`number - place + ${parents}[place + 1]`)})`,
	name: "if(kind = 'other', 'GET /things', kind)",
	source: "if(place IN (1, 5), 'model_proxy', if(place IN (3, 6), 'gateway', 'otlp'))",
	kind: "multiIf(place IN (1, 5), 'model_call', place IN (3, 6), 'tool_call', merged AND place IN (2, 4), 'tool_call', 'other')",
	status: "if(failed, 'error', 'ok')",
	status_message: "if(failed, 'took too long', '')",
	error_type: "if(failed, ['timeout', 'tool_error', '429'][sipHash64(number, 3) % 3 + 1], '')",
	service_name: "concat('service-', toString(trace % 12))",
	agent_id: uuid(1, 'session % 50'),
	agent_name: "concat('Agent ', toString(session % 50))",
	server_id: `if(kind = 'tool_call' AND source = 'gateway', ${uuid(2, 'trace % 20')}, '')`,
	server_name: "if(server_id = '', '', concat('Server ', toString(trace % 20)))",
	tool_name: "if(kind = 'tool_call', concat('tool_', toString(trace % 200)), '')",
	session_id: "concat('session-', toString(session))",
	user_id: "concat('user-', toString(session % 5000))",
	client: "concat('client/', toString(session % 6))",
	connection: "if(kind = 'model_call', 'main', '')",
	provider: "if(kind = 'model_call', ['openai', 'anthropic'][trace % 2 + 1], '')",
	model: "if(kind = 'model_call', concat('model-', toString(trace % 8)), '')",
	input_tokens: "if(kind = 'model_call', sipHash64(number, 4) % 4000, 0)",
	cache_read_tokens: "if(kind = 'model_call', sipHash64(number, 5) % 9000, 0)",
	output_tokens: "if(kind = 'model_call', sipHash64(number, 6) % 900, 0)",
	cost_nano_usd: "if(kind = 'model_call' AND trace % 8 != 7, toInt64(sipHash64(number, 7) % 90000000), NULL)",
	attributes: `map('http.request.method', 'GET', 'http.route', concat('/things/', toString(number % 40)),
		'server.address', 'things.example.com', 'deployment.id', toString(trace % 9))`,
	resource: "map('service.name', service_name, 'service.version', '1.4.2', 'host.name', 'node-7')",
}

const expressions = Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`)
const insert = `INSERT INTO spans (${Object.keys(columns).join(', ')})
	WITH intDiv(number, ${spansPerTrace}) AS trace, intDiv(trace, ${tracesPerSession}) AS session, number % ${spansPerTrace} AS place, trace % 4 = 0 AS merged,
		sipHash64(number, 2) % 50 = 0 AND place IN (1, 3, 5, 6) AS failed
	SELECT ${expressions.join(',\n')} FROM numbers({first:UInt64}, {count:UInt64})`

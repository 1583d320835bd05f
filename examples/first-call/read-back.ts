import { prove, until } from './expect.ts'
import { usage } from './mock-provider.ts'
import type { Signalbox } from './signalbox.ts'
import type { SentTrace } from './telemetry.ts'
import type { Granted } from './tools.ts'

interface Overview {
	calls: number
	errors: number
	tool_calls: number
	model_calls: number
	unpriced_calls: number
	cost_nano_usd: string
	tokens: Record<string, number>
}

interface SpanView {
	span_id: string
	parent_span_id: string | null
	status: string
	status_message: string
	tool: string | null
	duration_ms: number
	agent: { uuid: string } | null
	server: { id: string } | null
	attributes: Record<string, unknown>
}

/** Reads every figure back from Spotlight; each must be exact. */
export async function readOverview(
	{ api }: Signalbox,
	tools: { allowed: number; denied: number },
): Promise<void> {
	const expected = { tool_calls: tools.allowed + tools.denied, model_calls: 4 }
	const ask = () => api<Overview>('GET', '/v1/spotlight/overview?start=-1h')
	const { value, tookMs } = await until(
		ask,
		(overview) => overview.calls >= expected.tool_calls + expected.model_calls,
	)
	console.log(`  (visible ${Math.round(tookMs)} ms after the last call)`)
	prove(
		'every tool call and model call is counted once',
		{ tool_calls: value.tool_calls, model_calls: value.model_calls },
		expected,
	)
	prove('refused calls are the only errors', value.errors, tools.denied)
	prove('every model call has a price, exact to the nano-dollar', value, { ...value, ...expectedCost() })
	prove('tokens are exact, in buckets that add up', value.tokens, expectedTokens())
}

/** Nano-dollars for a token of gpt-5.6-sol ($4, $0.40 cached, $20 for a million) and of claude-sonnet-5 ($2, $0.20, $2.50, $10). */
const prices = {
	openai: { input: 4000, cached: 400, output: 20_000 },
	anthropic: { input: 2000, cacheRead: 200, cacheWrite: 2500, output: 10_000 },
}

function expectedCost(): Partial<Overview> {
	const { openai, anthropic } = usage
	const cached = openai.prompt_tokens_details.cached_tokens
	const first =
		(openai.prompt_tokens - cached) * prices.openai.input +
		cached * prices.openai.cached +
		openai.completion_tokens * prices.openai.output
	const second =
		anthropic.input_tokens * prices.anthropic.input +
		anthropic.cache_read_input_tokens * prices.anthropic.cacheRead +
		anthropic.cache_creation_input_tokens * prices.anthropic.cacheWrite +
		anthropic.output_tokens * prices.anthropic.output
	return { cost_nano_usd: String(2 * (first + second)), unpriced_calls: 0 }
}

/** Twice each: one plain and one streamed call. */
function expectedTokens(): Record<string, number> {
	const { openai, anthropic } = usage
	const cached = openai.prompt_tokens_details.cached_tokens
	const reasoning = openai.completion_tokens_details.reasoning_tokens
	return {
		input: 2 * (openai.prompt_tokens - cached + anthropic.input_tokens),
		cache_read: 2 * (cached + anthropic.cache_read_input_tokens),
		cache_write: 2 * anthropic.cache_creation_input_tokens,
		output: 2 * (openai.completion_tokens - reasoning + anthropic.output_tokens),
		reasoning: 2 * reasoning,
	}
}

/** Each tool call is a row with agent, server, tool, duration and outcome. */
export async function readCalls(
	{ api }: Signalbox,
	granted: Granted,
	tools: { allowed: number; denied: number },
): Promise<void> {
	const { spans } = await api<{ spans: SpanView[] }>(
		'GET',
		'/v1/telemetry/spans?source=gateway&kind=tool_call&limit=100',
	)
	prove('there is one row for each tool call', spans.length, tools.allowed + tools.denied)
	const complete = spans.filter(
		(span) =>
			span.agent?.uuid === granted.agentUuid &&
			span.server?.id === granted.serverId &&
			span.tool &&
			span.duration_ms > 0,
	)
	prove('each row names agent, server, tool and duration', complete.length, spans.length)
	prove('each row has its outcome', count(spans.map(({ status }) => status)), {
		ok: tools.allowed,
		denied: tools.denied,
	})
}

/** The traces that the exporters sent, span by span. */
export async function readTraces({ api }: Signalbox, sent: SentTrace[]): Promise<void> {
	for (const { traceId, rootSpanId, childSpanId } of sent) {
		const ask = () =>
			api<{ spans: SpanView[] }>('GET', `/v1/telemetry/traces/${traceId}`).catch(() => ({ spans: [] }))
		const { value } = await until(ask, ({ spans }) => spans.length === 2)
		const root = value.spans.find((span) => span.span_id === rootSpanId)
		const child = value.spans.find((span) => span.span_id === childSpanId)
		prove(
			`trace ${traceId.slice(0, 8)}… has its tree`,
			[root?.parent_span_id, child?.parent_span_id],
			[null, rootSpanId],
		)
		prove('its attributes keep their types', root?.attributes, { 'session.id': 'day-1', 'answer.count': 42 })
		prove('its error is shown', [child?.status, child?.status_message], ['error', 'calendar is empty'])
	}
}

function count(values: string[]): Record<string, number> {
	return Object.fromEntries(
		[...new Set(values)]
			.sort((a, b) => b.localeCompare(a))
			.map((value) => [value, values.filter((other) => other === value).length]),
	)
}

import { formatCount, formatNanoUsd } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import type { IconName } from '../../ui/icons.tsx'
import type { Span } from './queries.ts'
import type { SpanTree } from './span-tree.ts'

/** The subject of a span: `server / tool`, a model, or its own name. */
export function subjectOf(span: Named): string {
	return showDirections(nameOf(span))
}

type Named = Pick<Span, 'kind' | 'server' | 'tool' | 'model' | 'model_requested' | 'name' | 'mcp_method'>

function nameOf(span: Named): string {
	if (span.kind === 'tool_call' && span.tool)
		return span.server ? `${span.server.name} / ${span.tool}` : span.tool
	if (span.kind === 'model_call') return span.model ?? span.model_requested ?? span.name
	if (span.kind === 'mcp' && span.mcp_method)
		return span.server ? `${span.server.name} / ${span.mcp_method}` : span.mcp_method
	return span.name
}

export const kindIcon: Record<Span['kind'], IconName> = {
	tool_call: 'tool',
	model_call: 'model',
	mcp: 'server',
	other: 'dot',
}
export const kindName: Record<Span['kind'], string> = {
	tool_call: 'Tool call',
	model_call: 'Model call',
	mcp: 'MCP request',
	other: 'Span',
}
export const kindColour: Record<Span['kind'], string> = {
	tool_call: 'bg-tool',
	model_call: 'bg-model',
	mcp: 'bg-ok',
	other: 'bg-other',
}
export const kindText: Record<Span['kind'], string> = {
	tool_call: 'text-tool',
	model_call: 'text-model',
	mcp: 'text-ok',
	other: 'text-ink-3',
}

/** The outcome in a word. */
export function outcomeOf(span: Pick<Span, 'status'>): string {
	return span.status
}

/** The sums of a whole trace, and its session, user and agent. */
export interface TraceFacts {
	tokens: number
	costNanoUsd: bigint
	unpricedCalls: number
	modelCalls: number
	toolCalls: number
	models: string[]
	sessions: string[]
	users: string[]
	agents: { uuid: string | null; name: string }[]
}

/**
 * Sums of a trace. Libraries record a model call once themselves and once in the client inside, with the same tokens: only the
 * innermost span of each call is counted.
 */
export function factsOf({ rows }: Pick<SpanTree, 'rows'>): TraceFacts {
	const facts: TraceFacts = {
		...{ tokens: 0, costNanoUsd: 0n, unpricedCalls: 0, modelCalls: 0, toolCalls: 0 },
		...{ models: [], sessions: [], users: [], agents: [] },
	}
	const agents = new Map<string, TraceFacts['agents'][number]>()
	const sets = { models: new Set<string>(), sessions: new Set<string>(), users: new Set<string>() }
	const outer = outerCalls(rows.map(({ span }) => span))
	for (const { span } of rows) {
		if (span.session_id) sets.sessions.add(span.session_id)
		if (span.user_id) sets.users.add(span.user_id)
		const agentName = span.agent?.name ?? span.agent_name
		if (agentName)
			agents.set(agentName, {
				uuid: span.agent?.uuid ?? agents.get(agentName)?.uuid ?? null,
				name: agentName,
			})
		if (outer.has(span.span_id)) continue
		if (span.kind === 'tool_call') facts.toolCalls += 1
		if (span.kind !== 'model_call') continue
		facts.modelCalls += 1
		facts.tokens += tokensOf(span)
		if (span.model ?? span.model_requested) sets.models.add((span.model ?? span.model_requested) as string)
		if (span.cost_nano_usd === null) facts.unpricedCalls += 1
		else facts.costNanoUsd += BigInt(span.cost_nano_usd)
	}
	return {
		...facts,
		models: [...sets.models],
		sessions: [...sets.sessions],
		users: [...sets.users],
		agents: [...agents.values()],
	}
}

/** The cost of a trace, with the calls that it leaves out. */
export function shownCost({ modelCalls, unpricedCalls, costNanoUsd }: TraceFacts): string {
	if (unpricedCalls === modelCalls) return 'unpriced'
	const rest = unpricedCalls > 0 ? ` + ${formatCount(unpricedCalls)} unpriced` : ''
	return formatNanoUsd(String(costNanoUsd)) + rest
}

/** Calls that have a call of the same kind, and for tools of the same tool, somewhere beneath them. */
function outerCalls(spans: readonly Span[]): Set<string> {
	const byId = new Map(spans.map((span) => [span.span_id, span]))
	const outer = new Set<string>()
	for (const span of spans) {
		if (span.kind !== 'model_call' && span.kind !== 'tool_call') continue
		let above = span.parent_span_id ? byId.get(span.parent_span_id) : undefined
		for (let level = 0; above && level < 8; level++) {
			if (above.kind === span.kind && (span.kind === 'model_call' || sameTool(above, span)))
				outer.add(above.span_id)
			above = above.parent_span_id ? byId.get(above.parent_span_id) : undefined
		}
	}
	return outer
}

const bare = (tool: string | null) => tool?.split('__').at(-1) ?? ''
const sameTool = (one: Span, other: Span) => bare(one.tool) === bare(other.tool)

export function tokensOf({ tokens }: Pick<Span, 'tokens'>): number {
	return tokens.input + tokens.cache_read + tokens.cache_write + tokens.output + tokens.reasoning
}

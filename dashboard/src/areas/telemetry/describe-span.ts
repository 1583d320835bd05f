import type { IconName } from '../../ui/icons.tsx'
import type { Span } from './queries.ts'

/** What a span was about: `server / tool`, a model, or its own name. */
export function subjectOf(
	span: Pick<Span, 'kind' | 'server' | 'tool' | 'model' | 'model_requested' | 'name' | 'mcp_method'>,
): string {
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
	mcp: 'MCP',
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

export { tokensOf } from './trace-facts.ts'

import type { Schemas } from '../api.ts'

type Miss = Schemas['CacheMiss']

/** The causes for which a prompt was paid for again, in words. */
export const causeWords: Record<Miss['cause'], string> = {
	model_changed: 'Another model',
	connection_changed: 'Different connection or key',
	cache_key_changed: 'Another cache key',
	not_marked: 'Fewer marks for caching',
	below_minimum: 'Too short to be cached',
	expired: 'Expired',
	tools_changed: 'Tools changed',
	system_changed: 'System text changed',
	parameters_changed: 'Settings changed',
	history_compacted: 'History was shortened',
	messages_changed: 'An earlier message changed',
	concurrent: 'Sent before the other was answered',
	provider_miss: 'Nothing changed: no longer cached by the provider',
}

/** `search of docs, 4th, added`; '' if no part of the prompt is the cause. */
export function describePart({ part }: Pick<Miss, 'part'>): string {
	if (!part) return ''
	const name = part.kind === 'tool' ? `tool ${part.name}` : `${part.name} text ${part.position}`
	return `${name} ${part.change}`
}

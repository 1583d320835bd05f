import { parseHeaders } from '../servers/parse-headers.ts'
import type { Forwarder, ForwarderInput } from './queries.ts'

/** A forwarder while it is being edited. */
export interface ForwarderDraft {
	name: string
	kind: Forwarder['kind']
	url: string
	signals: Forwarder['signals']
	/** Lines of `name: value`; empty keeps the stored headers. */
	headers: string
	/** One condition per line. */
	attributes: string
	callsOnly: boolean
}

export const newDraft: ForwarderDraft = {
	...{ name: '', kind: 'otlp', url: '', signals: ['spans'], headers: '', attributes: '', callsOnly: false },
}

export function draftOf({ name, kind, url, signals, filter }: Forwarder): ForwarderDraft {
	const { attributes = [], kinds } = filter
	return {
		...{ name, kind, url, signals, headers: '' },
		attributes: attributes.join('\n'),
		callsOnly: kinds !== undefined,
	}
}

/**
 * The draft in the form of the API; null while the headers are invalid or no signal is chosen. `before` provides filters that have no
 * fields.
 */
export function inputOf(draft: ForwarderDraft, before: Forwarder['filter'] = {}): ForwarderInput | null {
	const headers = parseHeaders(draft.headers)
	if (!headers || draft.signals.length === 0) return null
	const { agents, servers } = before
	const attributes = draft.attributes.split('\n').filter((line) => line.trim() !== '')
	const ofSpans = draft.signals.includes('spans')
		? {
				...(agents && { agents }),
				...(servers && { servers }),
				...(draft.callsOnly && { kinds: before.kinds ?? ['tool_call' as const, 'model_call' as const] }),
			}
		: {}
	return {
		...{ name: draft.name.trim(), kind: draft.kind, url: draft.url.trim(), signals: draft.signals },
		...(draft.headers.trim() !== '' && { headers }),
		filter: { ...ofSpans, ...(attributes.length > 0 && { attributes }) },
	}
}

import { type BodyOf, byScope, type ForwardedSignal, type forwarderOperations } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import { authorize } from '../../platform/http/index.ts'
import { attributeConditions } from '../index.ts'
import { type Change, type ForwarderContext, scopeOf } from './context.ts'

type Created = BodyOf<(typeof forwarderOperations)['create']>

/** The address of a receiver in its plain form. Throws what `assertUrl` throws. */
export function parseReceiver(
	{ safeFetch }: Pick<ForwarderContext, 'safeFetch'>,
	kind: string,
	text: string,
): string {
	if (kind === 'otlp') {
		const url = safeFetch.assertUrl(text)
		if (url.search || url.hash) throw malformed('/url', 'has a query or a fragment, where a path is appended')
		return url.href
	}
	const url = URL.parse(text)
	const isPlain = url && /^(tcp|tls):$/.test(url.protocol) && url.hostname && url.port && !url.username
	if (!isPlain || !['', '/'].includes(url.pathname + url.search + url.hash))
		throw malformed('/url', 'is not tcp://host:port or tls://host:port')
	// The scheme stands for any: what is judged is the host and the port.
	safeFetch.assertUrl(`http://${url.host}`)
	return `${url.protocol}//${url.host}`
}

/** Refuses settings that would say nothing. */
export function requireFitting({
	kind,
	signals,
	filter,
	hasHeaders,
}: Pick<Created, 'kind' | 'signals'> & {
	filter: NonNullable<Created['filter']>
	hasHeaders: boolean
}): void {
	const { attributes, ...ofSpans } = filter
	if (kind === 'syslog' && signals.some((signal) => signal !== 'audit'))
		throw malformed('/signals', 'may be audit alone, by syslog')
	if (kind === 'syslog' && hasHeaders) throw malformed('/headers', 'belongs to OTLP')
	if (Object.keys(ofSpans).length > 0 && !signals.includes('spans'))
		throw malformed('/filter', 'names agents, servers or kinds, and no spans are sent')
	attributeConditions(attributes)
	if (attributes && signals.every((signal) => signal === 'audit'))
		throw malformed('/filter/attributes', 'is about telemetry, of which none is sent')
}

/** Nobody may have sent elsewhere what they could not read themselves. */
export function requireReadable({ principal }: Change, signals: readonly ForwardedSignal[]): void {
	for (const signal of signals) {
		const refusal = authorize(byScope(scopeOf(signal)), principal)
		if (refusal) throw new Problem('forbidden', `For ${signal}: ${refusal.message}`)
	}
}

function malformed(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'forwarder', detail }],
	})
}

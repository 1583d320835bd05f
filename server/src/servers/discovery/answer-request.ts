import { parseObject } from './parse-object.ts'

const answers: Readonly<Record<string, object>> = {
	ping: { result: {} },
	'roots/list': { result: { roots: [] } },
	'elicitation/create': { result: { action: 'cancel' } },
	'sampling/createMessage': { error: { code: -1, message: 'User rejected sampling request' } },
}
const unknown = {
	error: { code: -32601, message: 'Nobody can be asked for this while the tools are listed.' },
}

/** The answer to a request of a server that is only looked at, so that it does not wait; null when the text is none. */
export function answerRequest(text: string): object | null {
	const request = parseObject(text)
	if (typeof request?.method !== 'string' || request.id == null) return null
	return { jsonrpc: '2.0', id: request.id, ...(answers[request.method] ?? unknown) }
}

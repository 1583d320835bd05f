import { parseMessages } from './parse-object.ts'

const answers: Readonly<Record<string, object>> = {
	ping: { result: {} },
	'roots/list': { result: { roots: [] } },
	'elicitation/create': { result: { action: 'cancel' } },
	'sampling/createMessage': { error: { code: -1, message: 'User rejected sampling request' } },
}
const unknown = {
	error: { code: -32601, message: 'Nobody can be asked for this while the tools are listed.' },
}

/** Answers to the requests of a server that is only looked at, so that it does not wait. */
export function answerRequests(text: string): object[] {
	return parseMessages(text).flatMap(({ id, method }) =>
		typeof method === 'string' && id != null ? [{ jsonrpc: '2.0', id, ...(answers[method] ?? unknown) }] : [],
	)
}

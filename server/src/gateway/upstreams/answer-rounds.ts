import {
	eraOf,
	isObject,
	type JsonObject,
	RpcFailure,
	rpcCodes,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { Operation } from '../operation.ts'
import { isAskable, type Question } from '../questions.ts'
import { errorToEra } from './to-era.ts'
import type { Upstream, UpstreamCall } from './upstream.ts'

const roundsMost = 16
const urlElicitationRequired = -32042

/**
 * Sends a request until the server has all the answers that it wants, as far as the client cannot do that by itself: a
 * legacy client is asked, one by one, what a modern server's result asks for; a modern client is led to the pages that a
 * legacy server refuses to work without.
 */
export async function requestInRounds(upstream: Upstream, call: UpstreamCall): Promise<JsonObject> {
	const { operation, server } = call
	let next = call
	for (let round = 0; round < roundsMost; round += 1) {
		const { result, error } = await upstream.request(next)
		if (error) {
			refuseOfHop(server, error)
			if (operation.client.era === 'legacy' || error.code !== urlElicitationRequired)
				throw errorToEra(operation, error)
			await visitPages(operation, error)
		} else if (retries(operation) || result?.resultType !== 'input_required') return result ?? {}
		else {
			const inputResponses = await answersTo(operation, server, result.inputRequests)
			const { requestState } = result
			const params = { ...call.params, inputResponses, ...(requestState !== undefined && { requestState }) }
			next = { ...call, params }
		}
	}
	throw upstreamFailure(server, 'input_required', 'asks for input again and again.')
}

/** What a modern server says of our headers and our version is nothing to the client, who sent others. */
function refuseOfHop(server: ServerEntry, { code, message }: RpcError): void {
	const isOfHop = code === rpcCodes.headerMismatch || code === rpcCodes.unsupportedVersion
	if (isOfHop && eraOf(server.protocolVersion ?? '') === 'modern')
		throw upstreamFailure(
			server,
			'upstream_handshake_failed',
			`refused our request: ${message.slice(0, 200)}`,
		)
}

/** A modern client tries again by itself, but for what runs as a task. */
function retries({ client, task }: Operation): boolean {
	return client.era === 'modern' && !task
}

async function answersTo(operation: Operation, server: ServerEntry, asked: unknown): Promise<JsonObject> {
	const entries = Object.entries(isObject(asked) ? asked : {})
	const answers = await Promise.all(
		entries.map(async ([key, one]) => [key, await answerTo(operation, server, one)] as const),
	)
	return Object.fromEntries(answers)
}

/** What the client's side answers to a question of a modern server; throws where it cannot be asked. */
export async function answerTo(
	operation: Operation,
	server: ServerEntry,
	asked: unknown,
): Promise<JsonObject> {
	const question = readQuestion(asked)
	const answer = question ? await askOrCancel(operation, question) : 'unsupported'
	if (answer !== 'unsupported') return answer
	throw upstreamFailure(server, 'input_required', 'asks for something that this client cannot answer.')
}

/** A client that answers a form with an error did not fill it in, which modern servers hear as a word. */
async function askOrCancel(operation: Operation, question: Question): Promise<JsonObject | 'unsupported'> {
	try {
		return await operation.ask(question)
	} catch (error) {
		const isRefusal = error instanceof RpcFailure && error.errorType === 'input_refused'
		if (isRefusal && question.method === 'elicitation/create') return { action: 'cancel' }
		throw error
	}
}

function readQuestion(asked: unknown): Question | null {
	if (!isObject(asked) || typeof asked.method !== 'string' || !isAskable(asked.method)) return null
	return { method: asked.method, params: isObject(asked.params) ? asked.params : {} }
}

/** The refused call ran nowhere; it is sent again when its user went to every page. */
async function visitPages(operation: Operation, error: NonNullable<RpcError>): Promise<void> {
	const pages = isObject(error.data) && Array.isArray(error.data.elicitations) ? error.data.elicitations : []
	const answers = await Promise.all(
		pages
			.filter(isObject)
			.map((params) => operation.ask({ method: 'elicitation/create', params: { mode: 'url', ...params } })),
	)
	const isDone =
		answers.length > 0 && answers.every((answer) => answer !== 'unsupported' && answer.action === 'accept')
	if (!isDone) throw errorToEra(operation, error)
}

type RpcError = { code: number; message: string; data?: unknown }

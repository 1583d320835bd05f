import { Problem } from '../platform/errors.ts'
import { namedFailure, RpcFailure, rpcCodes } from './failure.ts'
import type { McpServer } from './target.ts'

/** The upstream does not know the session any more. It refused before it ran anything. */
export class SessionLost extends Error {}

/** The cause of a failure: the server answered, but not with an answer to the request. */
export class HttpStatus extends Error {
	readonly status: number

	constructor(status: number) {
		super(`HTTP ${status}`)
		this.status = status
	}
}

/** The cause of a failure: the server answered 401 or 403. */
export class CredentialsRefused extends HttpStatus {
	/** `WWW-Authenticate`, as the server sent it. */
	readonly challenge: string | undefined

	constructor(status: number, challenge: string | undefined) {
		super(status)
		this.challenge = challenge
	}
}

export function upstreamFailure(
	server: Pick<McpServer, 'name'>,
	name: string,
	text: string,
	cause?: unknown,
): RpcFailure {
	return namedFailure(rpcCodes.internal, name, `The MCP server ${server.name} ${text}`, {
		facts: { server: server.name },
		cause,
	})
}

/** Converts the error of an exchange with an upstream to what the client gets. */
export function toUpstreamFailure(server: Pick<McpServer, 'name'>, error: unknown): Error {
	if (error instanceof RpcFailure || error instanceof SessionLost) return error
	const code = codeOf(error)
	if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
		return upstreamFailure(server, 'timeout', 'did not answer in time.', error)
	const problem = problemIn(error)
	if (problem) {
		const verb = problem.code === 'upstream_unreachable' ? 'could not be reached' : 'may not be reached'
		return upstreamFailure(server, problem.code, `${verb}: ${problem.message}`, error)
	}
	if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
		return upstreamFailure(server, 'upstream_unreachable', 'closed the connection before it answered.', error)
	// An error of the HTTP parser means that the server did answer.
	if (code && !code.startsWith('HPE_'))
		return upstreamFailure(server, 'upstream_unreachable', `could not be reached (${code}).`, error)
	return upstreamFailure(
		server,
		'upstream_invalid_answer',
		`gave an answer that cannot be passed on: ${textOf(error)}`,
		error,
	)
}

function codeOf(error: unknown): string | null {
	if (!(error instanceof Error)) return null
	if ('code' in error && typeof error.code === 'string') return error.code
	if (error instanceof AggregateError) return codeOf(error.errors[0])
	return codeOf(error.cause)
}

function problemIn(error: unknown): Problem | null {
	for (let at = error; at instanceof Error; at = at.cause) if (at instanceof Problem) return at
	return null
}

function textOf(error: unknown): string {
	return error instanceof Error ? error.message.slice(0, 200) : 'unknown'
}

import { CredentialsRefused, RpcFailure } from '../../mcp-client/index.ts'
import { Problem } from '../../platform/errors.ts'

/** Why an MCP server could not be queried; the message is for people. */
export class UpstreamFailure extends Error {
	/** Whether our own address rules refused the target. */
	readonly blocked: boolean
	/** Whether the server definitely refused, so that asking again would change nothing. */
	readonly refused: boolean
	/** Whether it timed out and may respond later. */
	readonly late: boolean

	constructor(
		message: string,
		options: { blocked?: boolean; refused?: boolean; late?: boolean; cause?: unknown } = {},
	) {
		// The text may contain data from the server, and no store keeps a NUL or half a surrogate pair.
		super(message.toWellFormed().replaceAll(/\p{Cc}/gu, ' '), { cause: options.cause })
		this.blocked = options.blocked ?? false
		this.refused = options.refused ?? false
		this.late = options.late ?? false
	}
}

const codes: Record<string, string> = {
	ECONNREFUSED: 'The connection was refused.',
	ECONNRESET: 'The connection was cut.',
	ENOTFOUND: 'The host name does not exist.',
	EAI_AGAIN: 'The host name could not be resolved.',
	ETIMEDOUT: 'The connection timed out.',
	UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
	UND_ERR_SOCKET: 'The connection was cut.',
	EHOSTUNREACH: 'The host cannot be reached.',
	ENETUNREACH: 'The network cannot be reached.',
}

/** Describes any failure of an exchange in one sentence that contains none of the upstream's own text. */
export function toUpstreamFailure(error: unknown): UpstreamFailure {
	if (error instanceof UpstreamFailure) return error
	if (error instanceof RpcFailure) return ofMcpClient(error)
	if (error instanceof Problem)
		return new UpstreamFailure(error.message, { blocked: error.code === 'blocked_address', cause: error })
	const { name, code, message } = error as { name?: string; code?: string; message?: string }
	if (name === 'TimeoutError' || name === 'AbortError')
		return new UpstreamFailure('It did not answer in time.', { late: true, cause: error })
	const known = code === undefined ? undefined : codes[code]
	const tls =
		code !== undefined && /CERT|SELF_SIGNED|TLS|SSL/.test(code)
			? `Its certificate was not accepted (${code}).`
			: undefined
	return new UpstreamFailure(known ?? tls ?? `The exchange failed (${code ?? message ?? name}).`, {
		cause: error,
	})
}

/** For a failure of the MCP client, without the name of the server, which the context provides. */
function ofMcpClient(error: RpcFailure): UpstreamFailure {
	const { cause, errorType } = error
	if (errorType === 'timeout')
		return new UpstreamFailure('It did not answer in time.', { late: true, cause: error })
	if (cause instanceof CredentialsRefused)
		return new UpstreamFailure(`It answered ${cause.status}: its headers may lack a valid credential.`, {
			cause,
		})
	if (cause instanceof RpcFailure)
		return new UpstreamFailure(`It refused initialize (error ${cause.code}).`, {
			refused: cause.httpStatus < 429,
			cause,
		})
	const inner = innermost(error)
	if (inner instanceof Problem || typeof (inner as { code?: unknown }).code === 'string')
		return toUpstreamFailure(inner)
	return new UpstreamFailure(error.message.replace(/^The MCP server {2}/, 'It '), { cause: error })
}

/** Our own problem, or the system error, at the root of a failure. */
function innermost(error: Error): Error {
	const [first] = error instanceof AggregateError ? error.errors : []
	const cause: unknown = first ?? error.cause
	return cause instanceof Error && !(error instanceof Problem) ? innermost(cause) : error
}

/** The telemetry store cannot be reached or is stopping; the same call may succeed later. */
export class StoreUnavailable extends Error {
	override name = 'StoreUnavailable'
}

const connectionCodes = new Set([
	'ECONNREFUSED',
	'ECONNRESET',
	'ENOENT',
	'EPIPE',
	'ETIMEDOUT',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ERR_SOCKET_CLOSED',
	'ERR_STREAM_PREMATURE_CLOSE',
])

/** ClickHouse: NETWORK_ERROR, ABORTED (engine stopping), TOO_MANY_SIMULTANEOUS_QUERIES, SOCKET_TIMEOUT. */
const unavailableClickHouseCodes = new Set(['210', '236', '202', '209'])

/** Runs a call of the client; failures of the connection become StoreUnavailable, the engine's own errors pass. */
export async function mapConnectionErrors<Result>(call: () => Promise<Result>): Promise<Result> {
	try {
		return await call()
	} catch (error) {
		if (!isConnectionError(error)) throw error
		throw new StoreUnavailable('The telemetry store cannot be reached.', { cause: error })
	}
}

function isConnectionError(error: unknown): boolean {
	if (!(error instanceof Error)) return false
	const code = 'code' in error ? String(error.code) : ''
	if (connectionCodes.has(code) || unavailableClickHouseCodes.has(code)) return true
	return /socket hang up|^Timeout error|premature close|^aborted$/i.test(error.message)
}

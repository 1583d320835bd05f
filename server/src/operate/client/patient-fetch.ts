import { setTimeout as wait } from 'node:timers/promises'

const attemptsMax = 5
const longestWaitS = 30

/**
 * Sends a request again when the instance asked for a later time (`Retry-After`), which it does before anything happened,
 * and when the connection broke, if the request is done at most once: a read, or with an `Idempotency-Key`.
 */
export async function patientFetch(request: Request): Promise<Response> {
	for (let attempt = 1; ; attempt += 1) {
		const last = attempt === attemptsMax
		const response = await globalThis.fetch(request.clone()).catch((error: unknown) => {
			if (last || !isDoneOnce(request) || isRefused(error)) throw error
			return null
		})
		const seconds = response === null ? attempt : waitFor(response)
		if (response !== null && (last || seconds === null)) return response
		await response?.body?.cancel()
		await wait((seconds ?? 0) * 1000)
	}
}

function isDoneOnce({ method, headers }: Request): boolean {
	return method === 'GET' || headers.has('idempotency-key')
}

/** Nobody listens there: waiting would only keep the person from the message. */
function isRefused(error: unknown): boolean {
	const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
	return ['ECONNREFUSED', 'ENOTFOUND'].includes(cause?.code ?? '') || cause?.message === 'bad port'
}

function waitFor({ status, headers }: Response): number | null {
	const seconds = Number(headers.get('retry-after') ?? Number.NaN)
	return [409, 429, 503].includes(status) && seconds >= 0 && seconds <= longestWaitS ? seconds : null
}

import { namedFailure, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { Reached } from '../../platform/limits/limiter.ts'
import type { Operation } from '../operation.ts'
import { type RefusalNames, refusalText } from '../refusals/refusal-text.ts'

/** When it is worth trying again, where only other calls decide that. */
const concurrencyRetryMs = 1000

/** A call beyond a limit: recorded as denied. Older clients take HTTP 429 for a broken connection, so they get 200. */
export function refuseReached({ client }: Operation, reached: Reached, names: RefusalNames): RpcFailure {
	const code = reached.kind === 'rate' ? 'calls_limited' : 'concurrency_limited'
	const retryMs = reached.retryAfterMs ?? concurrencyRetryMs
	const parts = {
		...{ ...names, detail: reached.subject, limit: String(reached.limit) },
		seconds: String(Math.max(1, Math.ceil(retryMs / 1000))),
	}
	return namedFailure(rpcCodes.accessDenied, code, refusalText(code, parts, null), {
		status: 'denied',
		httpStatus: client.era === 'modern' ? 429 : 200,
		facts: { ...names, reason: code, limit: reached.limit, retry_after_ms: retryMs },
	})
}

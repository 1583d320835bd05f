import type { ServerEntry } from '../../servers/index.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import type { Operation } from '../operation.ts'
import type { PlanResult } from '../perform/plan.ts'
import { upstreamFailure } from './upstream-failure.ts'

/** A result of either era as the client's era writes it: modern results say their type, legacy ones know none. */
export function toEra({ client }: Operation, server: ServerEntry, result: JsonObject): PlanResult {
	const isError = result.isError === true
	if (client.era === 'modern')
		return {
			json: JSON.stringify(result.resultType === undefined ? { ...result, resultType: 'complete' } : result),
			isError,
		}
	const { resultType, ...plain } = result
	if (resultType !== undefined && resultType !== 'complete') {
		throw upstreamFailure(server, 'input_required', 'asks for input in a way that this client does not know.')
	}
	return { json: JSON.stringify(resultType === undefined ? result : plain), isError }
}

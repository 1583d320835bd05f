import type { ClickHouseSettings } from '@clickhouse/client'
import { Problem } from '../errors.ts'

/** What one read may take, and how its numbers are written. */
export const querySettings: ClickHouseSettings = {
	max_execution_time: 30,
	max_memory_usage: String(2 ** 31),
	output_format_json_quote_64bit_integers: 1,
	output_format_json_quote_decimals: 1,
}

/**
 * ClickHouse: TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, QUERY_WAS_CANCELLED (by a limit: whoever
 * leaves reads no answer), TOO_MANY_ROWS_OR_BYTES.
 */
const limitCodes: ReadonlySet<unknown> = new Set(['158', '159', '160', '241', '307', '394', '396'])

/** Runs a read; what the engine gives up for its size is a problem of the question, and the engine runs on. */
export async function mapLimitErrors<Result>(read: () => Promise<Result>): Promise<Result> {
	try {
		return await read()
	} catch (error) {
		if (error instanceof Error && 'code' in error && limitCodes.has(error.code))
			throw new Problem('question_too_large', undefined, { cause: error })
		throw error
	}
}

import { type Dimension, dimensions } from '../../../ledger/index.ts'
import type { Exchange } from '../../../telemetry/index.ts'
import type { Billed, CachedCall } from './cached-call.ts'

/** A call as the store answers it: 64-bit numbers as text. */
export interface StoredCall {
	span: string
	start_ns: string
	duration: string
	first_token: string | null
	agent_id: string
	agent_name: string
	connection: string
	key_source: string
	provider: string
	served_model: string
	ledger_dimension: string[]
	ledger_iteration: number[]
	quantities: string[]
	costs: (string | null)[]
	rates: (string | null)[]
	ledger_factor: string[]
}

interface Line {
	dimension: string
	tokens: number
	costNanoUsd: bigint | null
	/** After its factor. */
	rate: number | null
}

export function toCachedCall(row: StoredCall, { traceId, sessionId, ...exchange }: Exchange): CachedCall {
	const lines = linesOf(row)
	const ofBucket = (bucket: string) => lines.filter(({ dimension }) => bucketOf(dimension) === bucket)
	const written = ofBucket('cacheWriteTokens')
	const seconds = written.map(({ dimension }) => lifeSeconds[dimension] ?? 300)
	return {
		traceId,
		spanId: row.span,
		startNs: BigInt(row.start_ns),
		untilAnswerNs: BigInt(row.first_token ?? row.duration),
		sessionId,
		agentId: row.agent_id,
		agentName: row.agent_name,
		connection: row.connection,
		keySource: row.key_source,
		provider: row.provider,
		model: row.served_model,
		cacheMarks: exchange.cacheMarks,
		cacheSeconds: exchange.cacheSeconds,
		read: billed(ofBucket('cacheReadTokens')),
		written: billed(written),
		rest: billed(ofBucket('inputTokens')),
		readRate: lines.find(({ dimension }) => dimension === 'cache_read')?.rate ?? null,
		shortestSeconds: seconds.length > 0 ? Math.min(...seconds) : 0,
		longestSeconds: Math.max(0, ...seconds),
	}
}

/** For how long a provider keeps what was written. */
const lifeSeconds: Readonly<Record<string, number>> = {
	cache_write_5m: 300,
	cache_write_30m: 1800,
	cache_write_1h: 3600,
	cache_write_12h: 43_200,
}

function bucketOf(dimension: string): string | null {
	return dimensions[dimension as Dimension]?.bucket ?? null
}

/** Of the answer itself: models that ran beside it had prompts of their own. */
function linesOf(row: StoredCall): Line[] {
	return row.ledger_dimension
		.map((dimension, at) => {
			const [numerator = 1, denominator = 1] = (row.ledger_factor[at] || '1/1').split('/').map(Number)
			const [cost, rate] = [row.costs[at] ?? null, row.rates[at] ?? null]
			return {
				dimension,
				tokens: Number(row.quantities[at]),
				costNanoUsd: cost === null ? null : BigInt(cost),
				rate: rate === null ? null : (Number(rate) * numerator) / denominator,
			}
		})
		.filter((_, at) => row.ledger_iteration[at] === 0)
}

function billed(lines: readonly Line[]): Billed {
	const costs = lines.map(({ costNanoUsd }) => costNanoUsd)
	return {
		tokens: lines.reduce((sum, { tokens }) => sum + tokens, 0),
		costNanoUsd: costs.includes(null) ? null : costs.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n),
	}
}

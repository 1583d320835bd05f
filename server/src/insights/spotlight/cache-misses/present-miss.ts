import type { cacheMissOperations, OutputOf } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Miss } from './explain-miss.ts'
import type { PartChange } from './prompt-change.ts'

export type CacheMissDocument = OutputOf<(typeof cacheMissOperations)['cache_misses']>['cache_misses'][number]

export function presentMiss(
	{ call, before, cause, also, part, missedTokens }: Miss,
	extra: bigint | null,
): CacheMissDocument {
	return {
		...placeOf(call),
		session_id: call.sessionId,
		agent: { id: orNull(call.agentId), name: orNull(call.agentName) },
		provider: orNull(call.provider),
		cause,
		also,
		part: part && presentPart(part),
		before: placeOf(before),
		missed_tokens: missedTokens,
		...presentMoney('extra_cost', extra),
	}
}

function placeOf({ traceId, spanId, startNs, connection, model }: Miss['call']) {
	return {
		trace_id: traceId,
		span_id: spanId,
		started_at: toIso(Number(startNs / 1_000_000n)),
		connection: orNull(connection),
		model: orNull(model),
	}
}

function presentPart({ kind, name, position, change }: PartChange) {
	return { kind, name, server: kind === 'tool' ? serverOfTool(name) : null, position: position + 1, change }
}

/** Clients show a tool of a server as `mcp__server__tool`. */
export function serverOfTool(name: string): string | null {
	return name.match(/^mcp__(.+?)__/)?.[1] ?? null
}

function orNull(text: string): string | null {
	return text === '' ? null : text
}

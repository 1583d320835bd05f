import { cacheMissOperations } from '@signalbox/contract'
import type { Clock } from '../../../platform/clock.ts'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import { mayReadMessages } from '../may-read-messages.ts'
import { getCacheMiss } from './get-cache-miss.ts'
import { type CacheMissDependencies, readCacheMisses } from './read-cache-misses.ts'

/** Prompts that were paid for again. */
export function openCacheMisses(dependencies: CacheMissDependencies & { clock: Clock }): BoundOperation[] {
	return bind(cacheMissOperations, {
		cache_misses: ({ query, context }) => {
			const range = readTimeRange(query, dependencies.clock.nowMs())
			return readCacheMisses(dependencies, principalIn(context).workspaceId, range, query)
		},
		cache_miss: ({ params, context }) => {
			const principal = principalIn(context)
			return getCacheMiss(dependencies, principal.workspaceId, params, mayReadMessages(principal))
		},
	})
}

import { type LimitClass, limitClasses, type limitOperations, type OutputOf } from '@signalbox/contract'
import type { Quotas } from '../../platform/http/index.ts'
import type { Quota } from '../../platform/limits/rates.ts'
import { type LimitConfig, limitClassNames } from './instance-limits.ts'
import type { LimitRow } from './limit-repository.ts'
import { quotasIn } from './limit-view.ts'

export type LimitDocument = OutputOf<(typeof limitOperations)['list']>['limits'][number]

/** Every class with its quota and who set it. */
export function presentLimits(
	{ quotas, config }: { quotas: Quotas; config: LimitConfig },
	rows: readonly LimitRow[],
): LimitDocument[] {
	const own = quotasIn(rows)
	return limitClassNames.map((name) => {
		if (own[name] !== undefined) return present(name, own[name], 'workspace')
		return present(name, quotas[name], name in config.RATE_LIMITS ? 'operator' : 'default')
	})
}

function present(name: LimitClass, quota: Quota | null, source: LimitDocument['source']): LimitDocument {
	return {
		class: name,
		requests: quota?.requests ?? null,
		window_s: quota && quota.windowMs / 1000,
		per: limitClasses[name],
		source,
	}
}

import type { DecodeOptions } from './decoded.ts'
import { Rejected } from './rejections.ts'

/** Rejects what would expire at once, or never. `field` names the time in the reason. */
export function checkTime(
	timeNs: bigint,
	{ oldestNs, newestNs }: Pick<DecodeOptions, 'oldestNs' | 'newestNs'>,
	field: string,
): void {
	if (timeNs === 0n || timeNs >= 1n << 63n) throw new Rejected(`${field} is missing or out of range`)
	if (timeNs < oldestNs) throw new Rejected(`${field} is older than the retention`)
	if (timeNs > newestNs) throw new Rejected(`${field} is more than a day ahead`)
}

import type { DecodeOptions } from './decoded.ts'
import { Rejected, reasons } from './rejections.ts'

/** Rejects a span that would expire at once, or never. */
export function checkStart(startNs: bigint, { oldestNs, newestNs }: DecodeOptions): void {
	if (startNs === 0n || startNs >= 1n << 63n) throw new Rejected(reasons.start)
	if (startNs < oldestNs) throw new Rejected(reasons.tooOld)
	if (startNs > newestNs) throw new Rejected(reasons.tooNew)
}

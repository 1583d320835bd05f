import { nowNs } from '../../platform/clock.ts'
import type { Attempt } from './attempt.ts'

/** What we take of a call's time: from the end of its body until it leaves, and from the provider's answer on. */
export class OwnTime {
	/** The value of `Server-Timing` that the client was sent; '' before. */
	told = ''
	#readNs = 0n
	#sentNs = 0n

	read(atNs = nowNs()): void {
		this.#readNs = atNs
	}

	/** The first attempt counts: those after it wait for providers. */
	sent({ startNs }: Attempt): void {
		this.#sentNs ||= startNs
	}

	/** For `Server-Timing`: our part, and the provider's until its answer began. In ms. */
	answered({ startNs, answeredNs }: Attempt): string {
		this.told = serverTiming(this.#sentNs - this.#readNs + (nowNs() - answeredNs), answeredNs - startNs)
		return this.told
	}
}

export function serverTiming(ownNs: bigint, providerNs: bigint): string {
	return `signalbox;dur=${toMs(ownNs)}, provider;dur=${toMs(providerNs)}`
}

function toMs(ns: bigint): string {
	return (Number(ns) / 1e6).toFixed(3)
}

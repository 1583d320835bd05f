import type { PromptCall } from './cached-call.ts'
import { textsOf } from './prompt-change.ts'

/**
 * The earlier call with which a prompt goes on: the one that has most in common with it, the latest of equals. Agents run
 * several conversations in one session; those that share no message are not compared.
 */
export function findBefore(call: PromptCall, earlier: readonly PromptCall[]): PromptCall | null {
	const own = new Set(call.parts.map(({ hash }) => hash))
	let best: PromptCall | null = null
	let most = 0
	for (const candidate of earlier) {
		if (candidate.startNs >= call.startNs) continue
		const shared = candidate.parts.filter(({ kind, hash }) => kind !== 'answer' && own.has(hash))
		if (!textsOf(shared).some(({ kind }) => kind === 'message')) continue
		const bytes = shared.reduce((sum, part) => sum + part.bytes, 0)
		const isBetter = bytes > most || (bytes === most && best !== null && candidate.startNs > best.startNs)
		if (isBetter) [best, most] = [candidate, bytes]
	}
	return best
}

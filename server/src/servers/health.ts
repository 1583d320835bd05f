import type { HealthStatus } from '@signalbox/contract'
import type { Discovery } from './discovery/index.ts'

const slowMs = 2000
const failuresMax = 2

/**
 * How a check moves health: one success is healthy, or degraded when slow or partial; a first failure degrades what
 * worked, the second is unhealthy, and what never worked is unhealthy at once.
 */
export function nextHealth(
	before: { health: HealthStatus; failures: number },
	outcome: Pick<Discovery, 'toolsFailure' | 'latencyMs'> | Error,
): { health: HealthStatus; failures: number } {
	if (!(outcome instanceof Error)) {
		const whole = outcome.toolsFailure === null && outcome.latencyMs <= slowMs
		return { health: whole ? 'healthy' : 'degraded', failures: 0 }
	}
	const failures = before.failures + 1
	const worked = before.health === 'healthy' || before.health === 'degraded'
	return { health: worked && failures < failuresMax ? 'degraded' : 'unhealthy', failures }
}

/** What is wrong, for people; null when nothing is. */
export function troubleOf(outcome: Pick<Discovery, 'toolsFailure' | 'latencyMs'> | Error): string | null {
	if (outcome instanceof Error) return outcome.message
	if (outcome.toolsFailure !== null) return `Its tools could not be listed. ${outcome.toolsFailure}`
	return outcome.latencyMs > slowMs ? `It took ${Math.round(outcome.latencyMs)} ms to answer.` : null
}

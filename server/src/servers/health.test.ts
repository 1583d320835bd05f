import { expect, it } from 'vitest'
import { nextHealth } from './check-server.ts'
import { UpstreamFailure } from './discovery/discovery.ts'

const down = new UpstreamFailure('down')
const up = {
	transportType: 'http' as const,
	protocolVersion: '2026-07-28',
	tools: [],
	toolsFailure: null,
	latencyMs: 5,
}

it.each([
	['one success makes healthy', 'unhealthy', 7, up, 'healthy', 0],
	['a first failure degrades what worked', 'healthy', 0, down, 'degraded', 1],
	['the second failure makes unhealthy', 'degraded', 1, down, 'unhealthy', 2],
	['what never worked is unhealthy at once', 'unknown', 0, down, 'unhealthy', 1],
	['a failure after a slow success counts as the first', 'degraded', 0, down, 'degraded', 1],
	['a slow answer degrades', 'healthy', 0, { ...up, latencyMs: 2001 }, 'degraded', 0],
	[
		'an answer without tools degrades',
		'healthy',
		0,
		{ ...up, tools: null, toolsFailure: 'no' },
		'degraded',
		0,
	],
] as const)('%s', (_promise, health, failures, outcome, expected, count) => {
	expect(nextHealth({ health, failures }, outcome as never)).toEqual({ health: expected, failures: count })
})

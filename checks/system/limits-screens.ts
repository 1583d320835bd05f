import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { press } from './people-stage.ts'
import type { Upstreams } from './upstreams-stage.ts'

/** Objects that the tests of other screens have created. */
interface Made {
	page: Page
	call: Upstreams['call']
	open: Upstreams['open']
	/** A part of the screen by its title. */
	panel(title: string): Locator
	made: { upstream: string; agent: string }
}

/** Defines the tests of call limits, for an existing agent and server. */
export function describeLimits(of: () => Made): void {
	describe('limits of calls', () => {
		test('are set for an agent', async () => {
			const { open, panel, call, made } = of()
			await open(`/agents/${made.agent}?tab=settings`)
			const limits = panel('Call limits')
			await limits.getByLabel('Calls a minute').fill('60')
			await limits.getByLabel('At a time').fill('2')
			await press(limits, 'Save')
			await expect
				.poll(async () => (await call('GET', `/v1/agents/${made.agent}`)).call_limits)
				.toEqual({ calls_per_minute: 60, concurrency: 2 })
		})

		test('are set for what an agent may call on a server', async () => {
			const { page, open, call, made } = of()
			const path = `/v1/mcp/servers/${made.upstream}/access/${made.agent}`
			await open(`/agents/${made.agent}`)
			const limits = page.getByRole('region', { name: 'Call limits' })
			await limits.getByLabel('At a time: all tools together').fill('3')
			await press(limits, 'Save limits of calls')
			await expect
				.poll(async () => (await call('GET', path)).call_limits)
				.toEqual({ '*': { calls_per_minute: null, concurrency: 3 } })
		})

		test('are set for a server and one of its tools', async () => {
			const { open, panel, call, made } = of()
			await open(`/servers/${made.upstream}?tab=settings`)
			const limits = panel('Call limits')
			await limits.getByLabel('Calls a minute: all tools together').fill('600')
			await limits.getByLabel('Limit a single tool').selectOption('whose')
			await limits.getByLabel('At a time: whose').fill('1')
			await press(limits, 'Save limits of calls')
			await expect
				.poll(async () => (await call('GET', `/v1/mcp/servers/${made.upstream}`)).call_limits)
				.toEqual({
					'*': { calls_per_minute: 600, concurrency: null },
					whose: { calls_per_minute: null, concurrency: 1 },
				})
		})
	})
}

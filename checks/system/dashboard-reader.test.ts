import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeReader } from './reader-screens.ts'
import { type Screens, screenFaults } from './screen-faults.ts'
import { describeSettings } from './settings-screens.ts'
import { startTraffic, type TrafficStage } from './traffic-stage.ts'

let stage: TrafficStage

beforeAll(async () => {
	stage = await startTraffic()
})
afterAll(() => stage?.stop())

describeReader(() => stage)

describeSettings(() => stage)

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	expect(stage.watched.faults).toEqual([])
})

const screens: Screens = [
	['/sessions/~cnVuLzc', 'Session'],
	['/sessions', 'Sessions'],
	['/users', 'Users'],
	['/tools?tool=echo', 'echo'],
	['/models?model=gpt-mock', 'gpt-mock'],
	['/tool-insights', 'Tool insights'],
	['/tool-insights?insight=arguments', 'Tool insights'],
	['/scores', 'Scores'],
	['/connections?tab=routes', 'Model connections'],
	['/connections?tab=limits', 'Model connections'],
	['/connections?tab=hooks', 'Model connections'],
	['/telemetry-settings', 'Data retention & redaction'],
	['/forwarders', 'Forwarders'],
	['/telemetry-settings?tab=redaction', 'Data retention & redaction'],
	['/tool-insights?insight=loops', 'Tool insights'],
	['/tool-insights?insight=overlaps', 'Tool insights'],
	['/tool-insights?insight=changes', 'Tool insights'],
	['/tool-insights?insight=unregistered', 'Tool insights'],
	['/tool-insights?insight=grants', 'Tool insights'],
	['/connections?tab=routes&create=true', null],
	['/connections?tab=limits&create=true', null],
	['/connections?tab=hooks&create=true', null],
	['/telemetry-settings?tab=redaction&create=true', null],
	['/forwarders?create=true', null],
]

test('the screens are accessible, fit their width, and comply with the content policy', async () => {
	const { browser, program, session } = stage
	expect(await screenFaults(browser, program.url, screens, session)).toEqual([])
})

test('a shared session meets the same rules for a visitor without an account', async () => {
	await stage.call('PUT', '/v1/sharing', { enabled: true })
	const path = '/v1/spotlight/sessions/~cnVuLzc/share'
	const { url } = await stage.call<{ url: string }>('POST', path, { expires_in_hours: 1 })
	const screens: Screens = [[url.slice(url.indexOf('/shared')), 'Shared session']]
	expect(await screenFaults(stage.browser, stage.program.url, screens)).toEqual([])
})

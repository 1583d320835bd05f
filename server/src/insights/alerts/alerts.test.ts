import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { hasFormOf } from '../../accounts/events/testing.ts'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { newId } from '../../platform/ids.ts'
import { openSpotlight } from '../spotlight/spotlight.ts'
import { addBuiltInAlerts } from './evaluate-alerts.ts'
import { type AlertStage, stageAlerts, startEngine } from './stage.testing.ts'

let engine: TestStore
beforeAll(async () => {
	engine = await startEngine()
})
afterAll(() => engine?.close())

const minuteMs = 60_000
const hourMs = 60 * minuteMs

describeWithStore('alerts', (store) => {
	let stage: AlertStage
	beforeAll(async () => {
		stage = await stageAlerts(store(), engine)
	})
	afterAll(() => stage?.app.close())
	beforeEach(async () => {
		await engine.store.command('TRUNCATE TABLE spans')
		await store().db.deleteFrom('alerts').where('kind', '=', 'question').execute()
	})

	const ask = async (fields: object = {}) =>
		(await stage.api('POST', '/v1/questions', { name: 'Errors', read: 'errors', range: '1h', ...fields })).id
	const watch = async (fields: object = {}) =>
		stage.api('POST', '/v1/alerts', {
			...{ name: 'Many errors', question_id: await ask(), figure: 'errors', condition: 'above' },
			...{ threshold: 2, ...fields },
		})
	const stateOf = async (id: string) => (await stage.api('GET', `/v1/alerts/${id}`)).state
	const evaluateAfter = async (ms = minuteMs) => {
		stage.clock.advance(ms)
		await stage.evaluate()
	}
	const fail = (calls: number) => stage.record(calls, { status: 'error', errorType: 'boom' })

	it('the built-in alerts exist from the beginning, with no evaluation, ok or no data', async () => {
		const { alerts } = await stage.api('GET', '/v1/alerts')
		expect(alerts.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
			'agent_loop',
			'definition_changed',
			'error_spike',
			'server_down',
			'spend_spike',
		])
		await evaluateAfter(5 * minuteMs)
		const evaluated = await stage.api('GET', '/v1/alerts?sort=name&order=asc')
		const statuses = evaluated.alerts.map((alert: { kind: string; state: { status: string } }) => [
			alert.kind,
			alert.state.status,
		])
		expect(Object.fromEntries(statuses)).toEqual({
			...{ agent_loop: 'ok', definition_changed: 'ok', error_spike: 'ok' },
			...{ server_down: 'no_data', spend_spike: 'no_data' },
		})
		const refused = await stage.app.request('DELETE', `/v1/alerts/${alerts[0].id}`, {
			token: stage.app.owner.token,
		})
		expect(refused.status).toBe(409)
	})

	it('a workspace that lacks one built-in alert, because it is newer than the workspace, gets just that one', async () => {
		const kinds = async () => {
			const { alerts } = await stage.api('GET', '/v1/alerts')
			return alerts
				.map(({ id, kind }: { id: string; kind: string }) => (kind === 'agent_loop' ? kind : id))
				.sort()
		}
		const before = await kinds()
		await store().db.deleteFrom('alerts').where('kind', '=', 'agent_loop').execute()
		await addBuiltInAlerts(stage.context)
		expect(await kinds()).toEqual(before)
	})

	it('a saved view returns what Spotlight does', async () => {
		await fail(3)
		const id = await ask()
		const { question, answer } = await stage.api('GET', `/v1/questions/${id}/answer`)
		expect(question.id).toBe(id)
		expect(answer.errors).toMatchObject([{ error_type: 'boom', calls: 3 }])
		const whole = await ask({ read: 'overview', compare: true, filter: { error_type: 'none' } })
		expect((await stage.api('GET', `/v1/questions/${whole}/answer`)).answer).toMatchObject({
			calls: 0,
			previous: { calls: 0 },
		})
	})

	it('fires, is notified once, and is resolved once', async () => {
		const { id, question_id } = await watch()
		await fail(3)
		for (let turn = 0; turn < 3; turn += 1) await evaluateAfter()
		expect(await stateOf(id)).toMatchObject({ status: 'firing', value: 3, mail: null })
		await evaluateAfter(2 * hourMs)
		await evaluateAfter()
		const sent = await stage.notificationsOf(id)
		expect(sent.map(({ type }) => type)).toEqual(['alert.firing', 'alert.resolved'])
		for (const { type, data } of sent) expect(hasFormOf(type, data)).toBe(true)
		expect(sent[0]?.data.url).toMatch(
			/^http:\/\/signalbox\.example\/ui\/w\/[\w-]{36}\/spotlight\?by=errors&start=-1h$/,
		)
		const { transitions } = await stage.api('GET', `/v1/alerts/${id}/history`)
		expect(
			transitions.map((one: { to: string; notified_status: string }) => [one.to, one.notified_status]),
		).toEqual([
			['ok', 'resolved'],
			['firing', 'firing'],
		])
		const kept = await stage.app.request('DELETE', `/v1/questions/${question_id}`, {
			token: stage.app.owner.token,
		})
		expect(kept.status).toBe(409)
	})

	it('fires only after its waiting time', async () => {
		const { id } = await watch({ for_s: 120 })
		await fail(3)
		await evaluateAfter()
		expect((await stateOf(id)).status).not.toBe('firing')
		await evaluateAfter(2 * minuteMs)
		expect((await stateOf(id)).status).toBe('firing')
	})

	it('a muted alert is notified when the mute ends if it is still firing', async () => {
		const until = new Date(stage.clock.nowMs() + 10 * minuteMs).toISOString()
		const { id } = await watch({ muted_until: until })
		await fail(3)
		await evaluateAfter()
		expect(await stateOf(id)).toMatchObject({ status: 'firing' })
		expect(await stage.notificationsOf(id)).toEqual([])
		await evaluateAfter(10 * minuteMs)
		expect((await stage.notificationsOf(id)).map(({ type }) => type)).toEqual(['alert.firing'])
	})

	it('a change is compared with the previous range, and no data is a condition of its own', async () => {
		const rising = await watch({ figure: 'calls', condition: 'rise', threshold: 100 })
		const silent = await watch({ figure: 'calls', condition: 'no_data', threshold: null })
		await stage.record(2, {}, 90 * minuteMs)
		await stage.record(4, {})
		await evaluateAfter()
		expect(await stateOf(rising.id)).toMatchObject({ status: 'firing', value: 4 })
		expect(await stateOf(silent.id)).toMatchObject({ status: 'ok' })
		await evaluateAfter(2 * hourMs)
		expect(await stateOf(silent.id)).toMatchObject({ status: 'firing', value: 0 })
	})

	it('is unknown, and notifies nobody, while the engine does not answer', async () => {
		const { id } = await watch()
		await fail(3)
		await evaluateAfter()
		const { readFigures } = stage.context
		const closed = await startTestStore()
		await closed.close()
		stage.context.telemetry = closed.store
		stage.context.readFigures = openSpotlight({
			...stage.app,
			telemetry: closed.store,
			clock: stage.clock,
		}).readFigures
		await evaluateAfter()
		expect(await stateOf(id)).toMatchObject({
			status: 'unknown',
			text: 'The telemetry store does not answer.',
		})
		stage.context.telemetry = engine.store
		stage.context.readFigures = readFigures
		await evaluateAfter()
		expect((await stateOf(id)).status).toBe('firing')
		expect((await stage.notificationsOf(id)).map(({ type }) => type)).toEqual(['alert.firing'])
	})

	it('a test returns the current reading, changes no state, and says that there is no mail server', async () => {
		const { id } = await watch({ emails: ['ops@example.org'], enabled: false })
		const tested = await stage.api('POST', `/v1/alerts/${id}/test`)
		expect(tested).toMatchObject({ status: 'ok', value: 0, mail: 'no_mail_server' })
		expect((await stateOf(id)).status).toBe('no_data')
		expect((await stage.notificationsOf(id)).map(({ type }) => type)).toEqual(['alert.test'])
	})

	it('accepts what it returned, and refuses settings that cannot be evaluated', async () => {
		const alert = await watch()
		const token = stage.app.owner.token
		const send = (body: object) => stage.app.request('PATCH', `/v1/alerts/${alert.id}`, { token, body })
		expect((await send(await stage.api('GET', `/v1/alerts/${alert.id}`))).status).toBe(200)
		const question_id = '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'
		const refused = [{ threshold: null }, { condition: 'no_data' }, { kind: 'agent_loop' }, { question_id }]
		for (const body of refused) expect((await send(body)).status).toBe(400)
	})

	it('an agent that repeats itself, and a spike of errors, are found', async () => {
		const agent = { agentId: 'a1', agentName: 'Robo', toolName: 'search' }
		const same = { attributes: new Map([['gen_ai.tool.call.arguments', '{"q":1}']]) }
		await stage.record(9, { ...agent, ...same })
		await evaluateAfter()
		expect(await stage.byKind('agent_loop')).toMatchObject({ state: { status: 'ok' } })
		await stage.record(1, { ...agent, ...same })
		const write = { toolName: 'write', serverName: 'Files' }
		await stage.record(12, { ...agent, ...write, status: 'error', errorType: 'timeout' })
		await evaluateAfter()
		const loop = await stage.byKind('agent_loop')
		expect(loop.state).toMatchObject({
			status: 'firing',
			value: 12,
			text:
				'The agent Robo called the tool write of the server Files 12 times in the last 10 minutes, and each call failed ' +
				'with timeout. Other repeated calls: 1. Look at its calls; if it does not stop by itself, pause it.',
		})
		expect(await stage.byKind('error_spike')).toMatchObject({ state: { status: 'firing' } })
		await stage.record(12, { ...agent, toolName: 'read', status: 'error', errorType: 'timeout' })
		await evaluateAfter()
		expect((await stage.notificationsOf(loop.id)).map(({ type }) => type)).toEqual([
			'alert.firing',
			'alert.firing',
		])
	})

	it('a loop of calls is of one server, and of an agent that is not registered by its service', async () => {
		const agent = { source: 'otlp', serviceName: 'svc', toolName: 'search' } as const
		const same = { attributes: new Map([['gen_ai.tool.call.arguments', '{"q":1}']]) }
		for (const serverName of ['A', 'B']) await stage.record(6, { ...agent, ...same, serverName })
		await evaluateAfter()
		expect((await stage.byKind('agent_loop')).state.status).toBe('ok')
		await stage.record(10, { ...agent, status: 'error' })
		await evaluateAfter()
		const { state } = await stage.byKind('agent_loop')
		expect(state.text).toContain('and each call failed with an error without a type.')
		expect(new URL(state.url).searchParams.get('filter')).toBe('["service=svc"]')
	})

	it('an alert that fires again after a time without data is notified again', async () => {
		const { id } = await watch({ figure: 'latency_p50_ms', threshold: 0 })
		for (const _ of [1, 2]) {
			await stage.record(1, {})
			await evaluateAfter()
			await evaluateAfter(2 * hourMs)
			expect((await stateOf(id)).status).toBe('no_data')
		}
		expect((await stage.notificationsOf(id)).map(({ type }) => type)).toEqual([
			'alert.firing',
			'alert.firing',
		])
	})

	it('a day that costs twice the usual is found once there is enough history', async () => {
		const model = (dollars: number) => ({
			...({ kind: 'model_call', source: 'model_proxy' } as const),
			costNanoUsd: BigInt(dollars * 1e9),
		})
		for (const days of [2, 3, 4]) await stage.record(1, model(2), days * 24 * hourMs)
		await stage.record(1, model(3))
		await evaluateAfter(5 * minuteMs)
		expect(await stage.byKind('spend_spike')).toMatchObject({ state: { status: 'ok', value: 3 } })
		await stage.record(1, model(2))
		await evaluateAfter(5 * minuteMs)
		expect(await stage.byKind('spend_spike')).toMatchObject({ state: { status: 'firing', value: 5 } })
		// A week without calls is history too.
		await engine.store.command('TRUNCATE TABLE spans')
		await stage.record(1, model(2), 20 * 24 * hourMs)
		await stage.record(1, model(3))
		await evaluateAfter(5 * minuteMs)
		expect(await stage.byKind('spend_spike')).toMatchObject({ state: { status: 'firing', value: 3 } })
	})

	it('servers that are down and tools that changed are found', async () => {
		const at = stage.clock.nowMs()
		const server = await addServer('down', 'unhealthy', at)
		await addDefinition(server, 'first', at - 30 * 24 * hourMs)
		await addDefinition(server, 'second', at)
		await addPin(server, 'rejected', 'rejected', at)
		await evaluateAfter()
		const down = await stage.byKind('server_down')
		expect(down.state).toMatchObject({ status: 'firing', text: 'down does not answer checks.' })
		expect(down.state.url).toContain(`/servers/${server}`)
		expect(await stage.byKind('definition_changed')).toMatchObject({
			state: { status: 'firing', text: 'Changed definitions: echo (down).' },
		})
		await addPin(server, 'echo', 'changed', at)
		await evaluateAfter()
		expect((await stage.byKind('definition_changed')).state.text).toBe(
			'Changed definitions: echo (down). 1 waiting for approval.',
		)
		await addServer('also down', 'unhealthy', at)
		await evaluateAfter()
		expect((await stage.notificationsOf(down.id)).map(({ data }) => data.value)).toEqual([1, 2])
		await store().db.updateTable('mcp_servers').set({ health_status: 'healthy' }).execute()
		await evaluateAfter(2 * hourMs)
		expect((await stage.notificationsOf(down.id)).at(-1)?.type).toBe('alert.resolved')
	})

	async function addServer(name: string, health: string, at: number): Promise<string> {
		const id = newId(at)
		await store()
			.db.insertInto('mcp_servers')
			.values({
				...{ id, workspace_id: stage.app.owner.workspaceId, name, slug: id, description: '' },
				...{ endpoint_url: 'http://127.0.0.1:9', transport_type: 'http', hosting_mode: 'remote' },
				...{ status: 'active', health_status: health, failures: 2, last_health_check: at },
				...{ command: '', args: '[]', allowed_hosts: '[]', configuration: '{}' },
				...{ created_at: at, updated_at: at },
			} as never)
			.execute()
		return id
	}

	async function addDefinition(server_id: string, hash: string, seen: number): Promise<void> {
		const workspace_id = stage.app.owner.workspaceId
		const tool = { server_id, workspace_id, name: 'echo', hash, definition: '{}', flags: '[]', tokens: null }
		await store()
			.db.insertInto('tool_definitions')
			.values({ ...tool, first_seen: seen, last_seen: seen })
			.execute()
	}

	async function addPin(server_id: string, name: string, reason: string, since: number): Promise<void> {
		const pin = { server_id, name, reason, since, workspace_id: stage.app.owner.workspaceId }
		await store()
			.db.insertInto('tool_pins')
			.values({ ...pin, approved_hash: 'first', state: 'suspended' } as never)
			.execute()
	}

	it('a preview evaluates the past with the same rule, and notifies nobody', async () => {
		const dayMs = 24 * hourMs
		const fields = { status: 'error', errorType: 'boom' } as const
		for (const agoMs of [5 * dayMs, 3 * dayMs, 3 * dayMs - 2 * hourMs, dayMs])
			await stage.record(5, fields, agoMs)
		await stage.record(1, fields, 4 * dayMs)
		const body = {
			...{ range: '24h', filter: { error_type: 'boom' } },
			...{ figure: 'errors', condition: 'above', threshold: 2 },
		}
		const countEvents = async () =>
			(await store().db.selectFrom('events').select('id').where('type', 'like', 'alert.%').execute()).length
		const before = await countEvents()
		const preview = await stage.api('POST', '/v1/alerts/preview', body)
		expect(preview.points).toHaveLength(84)
		expect(preview.firings).toMatchObject([{ value: 5 }, { value: 5 }, { value: 5, until: null }])
		const { range: _range, filter: _filter, ...rule } = body
		const watched = { ...rule, question_id: await ask({ range: '7d' }), for_s: 86_400 }
		const longer = await stage.api('POST', '/v1/alerts/preview', watched)
		expect([longer.points.length, longer.firings.length]).toEqual([28, 1])
		const without = await stage.api('POST', '/v1/alerts/preview', { ...body, threshold: undefined })
		expect(without.code).toBe('invalid_request')
		expect(await countEvents()).toBe(before)
	})

	it('dashboards are shared in the workspace and in no other, and contain existing saved views', async () => {
		const panel = {
			...{ id: 'one', title: 'Errors', question_id: await ask(), read: 'errors', filter: {}, show: 'chart' },
			...{ measure: 'errors', group_by: 'server', width: 6, height: 2 },
		}
		const made = await stage.api('POST', '/v1/dashboards', { name: 'Mine', panels: [panel] })
		expect(made).toMatchObject({ name: 'Mine', panels: [panel] })
		const { dashboards } = await stage.api('GET', '/v1/dashboards')
		expect(dashboards).toEqual([made])
		const viewer = await stage.app.memberOf('viewer')
		const as = (token: string, method: string, body?: object) =>
			stage.app.request(method, `/v1/dashboards/${made.id}`, { token, ...(body && { body }) })
		expect((await as(viewer.token, 'GET')).body).toEqual(made)
		expect((await as(viewer.token, 'PATCH', { name: 'No' })).status).toBe(403)
		const outsider = await stage.app.register()
		for (const [method, body] of [['GET'], ['PATCH', { name: 'No' }], ['DELETE']] as const)
			expect((await as(outsider.token, method, body)).status).toBe(404)
		const change = (...panels: object[]) => stage.api('PATCH', `/v1/dashboards/${made.id}`, { panels })
		expect((await change(panel, panel)).errors[0].pointer).toBe('/panels')
		const elsewhere = await change(panel, { ...panel, id: 'two', question_id: newId() })
		expect(elsewhere.errors[0].pointer).toBe('/panels/1/question_id')
		const saved = { name: 'Never', read: 'tools', filter: { filter: ['duration_ms>soon'] } }
		const refused = await change(panel, { ...panel, id: 'two', filter: saved.filter })
		expect(refused.errors[0].pointer).toBe('/panels/1/filter')
		for (const [method, path] of [['POST', ''] as const, ['PATCH', `/${panel.question_id}`] as const])
			expect((await stage.api(method, `/v1/questions${path}`, saved)).errors[0].pointer).toBe('/filter')
		await stage.api('DELETE', `/v1/questions/${panel.question_id}`)
		const kept = await change({ ...panel, width: 12 })
		expect(kept.panels).toMatchObject([{ width: 12, question_id: panel.question_id }])
		await stage.api('DELETE', `/v1/dashboards/${made.id}`)
		expect((await as(viewer.token, 'GET')).status).toBe(404)
		const { audit } = await stage.api('GET', `/v1/audit?target=${made.id}`)
		const actions = audit.map(({ action }: { action: string }) => action)
		expect(actions).toEqual(['delete', 'update', 'create'].map((verb) => `dashboards.${verb}`))
	})

	it('an error rate is reported as a percentage', async () => {
		await stage.record(1, { status: 'error', errorType: 'boom' })
		await stage.record(3, {})
		const alert = await watch({
			question_id: await ask({ read: 'overview' }),
			figure: 'error_rate',
			threshold: 0.2,
		})
		await evaluateAfter()
		expect((await stateOf(alert.id)).text).toContain('error rate 25 %')
	})
})

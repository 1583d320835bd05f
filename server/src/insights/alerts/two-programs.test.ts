import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { TestAnswer } from '../../accounts/identity/testing.ts'
import { lockNumbering } from '../../platform/changes.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { LeaseLost } from '../../platform/jobs/job.ts'
import { openTestRunner, until } from '../../platform/jobs/testing.ts'
import { startMailServer, type TestMailServer } from '../../platform/mail/testing.ts'
import { sendAlertEmails } from './alert-emails.ts'
import { evaluateDueAlerts } from './evaluate-alerts.ts'
import { type AlertStage, stageAlerts, startEngine } from './stage.testing.ts'

let engine: TestStore
let mail: TestMailServer
beforeAll(async () => {
	;[engine, mail] = await Promise.all([startEngine(), startMailServer()])
})
afterAll(async () => {
	await engine?.close()
	await mail?.close()
})

describeOnBothDatabases('two programs on one store', (store) => {
	let stage: AlertStage
	beforeAll(async () => {
		stage = await stageAlerts(store(), engine, mail.url)
	})
	afterAll(() => stage?.app.close())

	const addFiring = async (name: string, emails = ['ops@example.org']): Promise<string> => {
		const view = await stage.api('POST', '/v1/questions', { name, read: 'overview' })
		const condition = { question_id: view.id, figure: 'calls', condition: 'no_data' }
		const { id } = await stage.api('POST', '/v1/alerts', { name, ...condition, emails })
		return id
	}
	/** A program: its job runner, which evaluates alerts and sends e-mails until it is stopped. */
	const start = (beforeCommit = async () => {}) => {
		const { jobs, mutate } = openTestRunner(store())
		const context = { ...stage.context, jobs, mutate }
		const outcomes: unknown[] = []
		jobs.every('alerts-evaluate', 40, async (job) => {
			const commit: typeof job.commit = async (work) => {
				await beforeCommit()
				return job.commit(work).catch((error: unknown) => {
					outcomes.push(error)
					throw error
				})
			}
			await evaluateDueAlerts(context, { ...job, commit })
		})
		sendAlertEmails(context)
		jobs.start()
		running.push(jobs)
		return { outcomes }
	}
	const running: { close(): Promise<void> }[] = []
	afterEach(async () => {
		for (const jobs of running.splice(0)) await jobs.close()
	})
	const mails = (id: string) => mail.received.filter(({ text }) => text.includes(`/alerts/${id}`)).length

	it('evaluate and notify once, in the event stream and by e-mail', async () => {
		start()
		start()
		const id = await addFiring('Once')
		await until(() => mails(id) > 0)
		stage.clock.advance(120_000)
		const evaluated = async () => (await stage.api('GET', `/v1/alerts/${id}`)).state
		const at = new Date(stage.clock.nowMs()).toISOString()
		await until(async () => (await evaluated()).evaluated_at === at)
		await until(async () => (await evaluated()).mail === 'sent')
		expect((await stage.notificationsOf(id)).map(({ type }) => type)).toEqual(['alert.firing'])
		expect(mails(id)).toBe(1)
	})

	it('the results of one that is delayed between evaluating and notifying are discarded if the other has notified', async () => {
		let go = () => {}
		let isHeld = false
		const held = new Promise<void>((done) => {
			go = done
		})
		const slow = start(async () => {
			isHeld = true
			await held
		})
		const id = await addFiring('Late')
		await until(() => isHeld)
		// Its lease has expired: to the other program it looks as if it had crashed.
		await store().db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'alerts-evaluate').execute()
		start()
		await until(async () => (await stage.notificationsOf(id)).length > 0)
		go()
		await until(() => slow.outcomes.length > 0)
		expect(slow.outcomes[0]).toBeInstanceOf(LeaseLost)
		expect((await stage.notificationsOf(id)).map(({ type }) => type)).toEqual(['alert.firing'])
	})

	it('no alert watches a saved view that is deleted meanwhile', async () => {
		const { app } = stage
		const send = (method: string, path: string, body?: object) =>
			app.request(method, path, { token: app.owner.token, ...(body && { body }) })
		const view = await stage.api('POST', '/v1/questions', { name: 'Going', read: 'overview' })
		const alert = { name: 'Late', question_id: view.id, figure: 'calls', condition: 'no_data' }
		let both: Promise<TestAnswer>[] = []
		await app.mutate(async (tx) => {
			// Both have checked, and neither can commit.
			await lockNumbering(tx)
			both = [send('DELETE', `/v1/questions/${view.id}`), send('POST', '/v1/alerts', alert)]
			await new Promise((done) => setTimeout(done, 300))
		})
		const statuses = (await Promise.all(both)).map(({ status }) => status)
		expect([
			[204, 400],
			[409, 201],
		]).toContainEqual(statuses)
	})

	it('no longer notify a person who has left, and the audit log shows whose change that was', async () => {
		const { app } = stage
		const [leaver, removed] = [await app.memberOf('viewer'), await app.memberOf('member')]
		const id = await addFiring('Left', [leaver.email, 'ops@example.org', removed.email.toUpperCase()])
		const members = `/v1/workspaces/${app.owner.workspaceId}/members`
		await app.request('DELETE', `${members}/${leaver.userId}`, { token: leaver.token })
		await stage.api('DELETE', `${members}/${removed.userId}`)
		expect((await stage.api('GET', `/v1/alerts/${id}`)).emails).toEqual(['ops@example.org'])
		const { audit } = await stage.api('GET', `/v1/audit?action=alerts.update&target=${id}`)
		expect(audit).toMatchObject([
			{ actor: { name: app.owner.email }, detail: { emails: ['ops@example.org'] } },
			{ actor: { name: leaver.email }, detail: { emails: ['ops@example.org', removed.email.toUpperCase()] } },
		])
	})
})

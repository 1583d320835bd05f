import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { openPostgres } from '../../platform/database/open-control-store.ts'
import { openTestPostgres } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { type ApprovalResult, type Approvals, openApprovals } from './approvals.ts'
import { type ApprovalStage, startApprovals } from './stage.testing.ts'

const masterKey = Buffer.alloc(32, 7)

describe('approvals over two programs on one PostgreSQL', () => {
	let opened: Awaited<ReturnType<typeof openTestPostgres>>
	let second: ControlStore
	let stage: ApprovalStage
	let other: { app: TestApp; approvals: Approvals }
	beforeAll(async () => {
		opened = await openTestPostgres()
		second = await openPostgres(opened.url, silentLog)
		stage = await startApprovals(opened.store, undefined, masterKey)
		let approvals: Approvals | undefined
		const app = await startTestApp(second, {
			masterKey,
			withoutOwner: true,
			open: (core) => {
				approvals = openApprovals(core)
				return { operations: approvals.operations }
			},
		})
		other = { app, approvals: approvals as unknown as Approvals }
	})
	afterAll(async () => {
		await other?.app.close()
		await stage?.close()
		await second?.close()
		await opened?.end()
	})

	const go = async (values: object, each: number): Promise<Promise<ApprovalResult>[]> => {
		const call = stage.callOf(values)
		const gates = [stage.approvals.gate, other.approvals.gate]
		const asked = await Promise.all(
			Array.from({ length: each * 2 }, async (_, at) => {
				const gate = gates[at % 2] as Approvals['gate']
				return { gate, standing: await gate.ask(call) }
			}),
		)
		return asked.map(({ gate, standing }) =>
			standing.kind === 'pending'
				? gate.wait(call, standing.approvalId, 10_000, new AbortController().signal)
				: Promise.resolve(standing),
		)
	}
	const pendingId = async () => {
		const { body } = await stage.request('GET', '/v1/approvals?status=pending', { token: stage.owner.token })
		expect(body.approvals).toHaveLength(1)
		return body.approvals[0].id as string
	}

	it('is requested once, and of 50 waiting copies one runs', async () => {
		const waiting = await go({ n: 1 }, 25)
		const id = await pendingId()
		await stage.decide(id, 'approve')
		const kinds = (await Promise.all(waiting)).map(({ kind }) => kind)
		expect(kinds.filter((kind) => kind === 'run')).toHaveLength(1)
		expect(new Set(kinds)).toEqual(new Set(['run', 'used']))
	})

	it('runs once when 50 copies are sent after it was approved', async () => {
		const call = stage.callOf({ n: 2 })
		const first = await stage.approvals.gate.ask(call)
		await stage.decide('approvalId' in first ? first.approvalId : '', 'approve')
		const kinds = (await Promise.all(await go({ n: 2 }, 25))).map(({ kind }) => kind)
		expect(kinds.filter((kind) => kind === 'run')).toHaveLength(1)
		expect(new Set(kinds)).toEqual(new Set(['run', 'used']))
	})

	it('gets a decision of the other program within a second', async () => {
		const call = stage.callOf({ n: 3 })
		const asked = await other.approvals.gate.ask(call)
		if (asked.kind !== 'pending') throw new Error(asked.kind)
		const waiting = other.approvals.gate.wait(call, asked.approvalId, 10_000, new AbortController().signal)
		await stage.decide(asked.approvalId, 'deny', { reason: 'no' })
		const startedMs = performance.now()
		expect(await waiting).toMatchObject({ kind: 'denied', reason: 'no' })
		expect(performance.now() - startedMs).toBeLessThan(5000)
	})
})

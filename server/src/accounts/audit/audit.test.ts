import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { createSealer } from '../../platform/crypto/seal.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { openAudit, systemActor, verifyAudit } from './audit.ts'

describeOnBothDatabases('the audit log', (store) => {
	const sealer = createSealer(randomBytes(32))
	const clock = manualClock()
	const write = (workspaceId: string, action: string) => {
		const audit = openAudit({ store: store(), sealer, clock })
		const detail = { note: 'sk_service_abc', number: 1 }
		return store()
			.db.transaction()
			.execute((tx) => audit.record(tx, { workspaceId, actor: systemActor('test'), action, detail }))
	}

	it('keeps one unbroken chain for each workspace when many write at once', async () => {
		await Promise.all(
			Array.from({ length: 60 }, (_, index) => write(index % 2 ? 'w1' : 'w2', `test.${index}`)),
		)
		const report = await verifyAudit(store(), sealer)
		expect(report).toMatchObject({ intact: true, records: 60, bad: null })
		expect(report.heads.map(({ workspaceId, seq }) => [workspaceId, seq])).toEqual([
			['w1', 30],
			['w2', 30],
		])
	})

	it('removes credentials from the detail', async () => {
		const row = await store().db.selectFrom('audit_log').select('detail').executeTakeFirstOrThrow()
		expect(JSON.parse(row.detail)).toEqual({ note: '[redacted]', number: 1 })
	})

	it('rolls the record back with the change when the transaction fails', async () => {
		const audit = openAudit({ store: store(), sealer, clock })
		const failing = store()
			.db.transaction()
			.execute(async (tx) => {
				await audit.record(tx, { workspaceId: 'w1', actor: systemActor('test'), action: 'test.failed' })
				throw new Error('the change failed')
			})
		await expect(failing).rejects.toThrow('the change failed')
		expect((await verifyAudit(store(), sealer)).records).toBe(60)
	})

	it('names the first changed record', async () => {
		const before = await store()
			.db.selectFrom('audit_log')
			.selectAll()
			.where('workspace_id', '=', 'w1')
			.where('seq', '=', 7)
			.executeTakeFirstOrThrow()
		const change = (actor_name: string) =>
			store()
				.db.updateTable('audit_log')
				.set({ actor_name })
				.where('workspace_id', '=', 'w1')
				.where('seq', '=', 7)
				.execute()
		await change('somebody else')
		expect((await verifyAudit(store(), sealer)).bad).toEqual({
			workspaceId: 'w1',
			seq: 7,
			id: before.id,
			reason: 'was changed',
		})
		await change(before.actor_name)
		expect((await verifyAudit(store(), sealer)).intact).toBe(true)
	})

	it('names the first missing record, and one whose link was copied from another chain', async () => {
		const fifth = store().db.deleteFrom('audit_log').where('workspace_id', '=', 'w2').where('seq', '=', 5)
		await fifth.execute()
		expect((await verifyAudit(store(), sealer)).bad).toEqual({
			workspaceId: 'w2',
			seq: 5,
			id: null,
			reason: 'is missing',
		})
		const other = await store()
			.db.selectFrom('audit_log')
			.selectAll()
			.where('workspace_id', '=', 'w1')
			.where('seq', '=', 5)
			.executeTakeFirstOrThrow()
		await store()
			.db.insertInto('audit_log')
			.values({ ...other, workspace_id: 'w2' })
			.execute()
		expect((await verifyAudit(store(), sealer)).bad).toMatchObject({
			workspaceId: 'w2',
			seq: 5,
			reason: 'was changed',
		})
	})

	it('is invalid under another master key', async () => {
		expect((await verifyAudit(store(), createSealer(randomBytes(32)))).bad).toMatchObject({
			workspaceId: 'w1',
			seq: 1,
		})
	})
})

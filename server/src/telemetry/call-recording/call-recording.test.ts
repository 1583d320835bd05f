import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { Problem } from '../../platform/errors.ts'
import type { CallLog, Intent, LogRecorder } from '../recorder/recorder.ts'
import { deadStore, makeLogDirectory, notes, openNotesRecorder } from '../recorder/testing.ts'
import { openCallRecording } from './call-recording.ts'

/** Takes announcements, for which the log keeps room, and no outcomes. */
class FullDisk implements CallLog {
	async announce(_kind: string, workspaceId: string): Promise<Intent> {
		return { id: 'call', workspaceId }
	}
	async conclude(): Promise<void> {
		throw new Problem('disk_full')
	}
	announceTo(): void {}
	concludeTo(): void {}
	servesUnrecorded(): boolean {
		return false
	}
}

describeOnBothDatabases('calls that cannot be recorded', (store) => {
	let app: TestApp
	let log: Awaited<ReturnType<typeof makeLogDirectory>>
	let recorder: LogRecorder
	let opened: ReturnType<typeof openCallRecording>
	let onFullDisk: ReturnType<typeof openCallRecording>
	beforeAll(async () => {
		log = await makeLogDirectory()
		recorder = await openNotesRecorder({
			directory: log.directory,
			store: deadStore,
			maxBytes: 128 * 1024,
			reserveBytes: 32 * 1024,
			make: null,
		})
		app = await startTestApp(store(), {
			open: (core) => {
				opened = openCallRecording({ ...core, calls: recorder })
				onFullDisk = openCallRecording({ ...core, calls: new FullDisk() })
				return { operations: opened.operations }
			},
		})
	})
	afterAll(async () => {
		await app.close()
		await recorder.close(0)
		await log.remove()
	})

	const choose = (mode: string, token = app.owner.token) =>
		app.request('PUT', '/v1/call-recording', { token, body: { mode } })
	const facts = Buffer.from('call')
	const announce = (workspaceId = app.owner.workspaceId) => opened.calls.announce('tool', workspaceId, facts)
	const unrecorded = () => opened.figures[0]?.read()

	it('are refused until the workspace chooses otherwise; then they are served and counted', async () => {
		const open = await announce()
		const fill = async () => {
			for (let n = 0; n < 1000; n++) await recorder.append(notes([`n${n}`], 'x'.repeat(1000)))
		}
		await expect(fill()).rejects.toMatchObject({ code: 'recorder_full' })
		const shown = await app.request('GET', '/v1/call-recording', { token: app.owner.token })
		expect(shown.body).toEqual({ mode: 'required', tool_content: true })
		await expect(announce()).rejects.toMatchObject({ code: 'recorder_full', status: 503 })
		expect((await choose('best-effort')).body).toEqual({ mode: 'best-effort', tool_content: true })
		const intent = await announce()
		await opened.calls.conclude(intent, facts)
		expect(unrecorded()).toBe(1)
		await expect(announce('ws_other')).rejects.toMatchObject({ code: 'recorder_full' })
		await choose('required')
		await expect(announce()).rejects.toMatchObject({ code: 'recorder_full' })
		await opened.calls.conclude(open, facts)
		expect(unrecorded()).toBe(1)
	})

	it('are answered as usual when the disk becomes full during them, if the workspace chose that', async () => {
		const { workspaceId } = app.owner
		const end = async () =>
			onFullDisk.calls.conclude(await onFullDisk.calls.announce('tool', workspaceId, facts), facts)
		await choose('required')
		await expect(end()).rejects.toMatchObject({ code: 'disk_full' })
		await choose('best-effort')
		await end()
		expect(onFullDisk.calls.servesUnrecorded(workspaceId, new Problem('disk_full'))).toBe(true)
		expect(onFullDisk.calls.servesUnrecorded(workspaceId, new Problem('internal'))).toBe(false)
	})

	it('have no tool content if the workspace says so, whatever else it chooses later', async () => {
		const { workspaceId, token } = app.owner
		expect(opened.settings.recordsToolContent(workspaceId)).toBe(true)
		const body = { mode: 'required', tool_content: false }
		await app.request('PUT', '/v1/call-recording', { token, body })
		expect((await choose('required')).body).toEqual(body)
		expect(opened.settings.recordsToolContent(workspaceId)).toBe(false)
		expect(opened.settings.recordsToolContent('ws_other')).toBe(true)
	})

	it('are refused or served, nothing else', async () => {
		expect((await choose('sometimes')).status).toBe(400)
	})
})

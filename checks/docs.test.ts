import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSource, repositoryFiles, root } from './src/source-files.ts'

const pages = repositoryFiles('.md')
const ours = /^(contract|server|dashboard|bench|examples|checks|docs|\.ci)\//

describe('the documentation', () => {
	it('links only to files that exist', () => {
		const broken = pages.flatMap((page) =>
			[...readSource(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
				.map((match) => match[1] as string)
				.filter((target) => !existsSync(join(root, dirname(page), target)))
				.map((target) => `${page} → ${target}`),
		)
		expect(broken).toEqual([])
	})

	it('cites only paths that exist', () => {
		const broken = pages.flatMap((page) =>
			[...readSource(page).matchAll(/`([\w./-]+)`/g)]
				.map((match) => match[1] as string)
				.filter((path) => ours.test(path) && !existsSync(join(root, path)))
				.map((path) => `${page} → ${path}`),
		)
		expect(broken).toEqual([])
	})

	it('names only existing files in the change guide; a bare file name belongs to the last named folder', () => {
		let folder = ''
		const broken = [...readSource('docs/change-guide.md').matchAll(/`([\w./-]+\.\w+|[\w./-]+\/)`/g)]
			.map((match) => match[1] as string)
			.filter((path) => {
				const found = [path, `server/src/${path}`, join(folder, path)].find((each) =>
					existsSync(join(root, each)),
				)
				if (found?.includes('/')) folder = found.endsWith('/') ? found : dirname(found)
				return found === undefined
			})
		expect(broken).toEqual([])
	})

	it('contains no path and no host name of a developer machine', () => {
		const found = repositoryFiles('.md', '.ts', '.tsx', '.mjs', '.json', '.yaml').filter(
			(path) =>
				path !== 'checks/docs.test.ts' &&
				/\/work\/(main|shared)|\.\.\/shared\/|https?:\/\/registry\./.test(readSource(path)),
		)
		expect(found).toEqual([])
	})

	it('does not use retired terms', () => {
		const found = repositoryFiles('.md', '.ts', '.tsx').flatMap((path) => {
			if (!checked.test(path) || exempt.test(path)) return []
			const words = readSource(path).match(givenUp) ?? []
			return words.map((word) => `${path}: ${word}`)
		})
		expect(found).toEqual([])
	})
})

/**
 * Retired terms. Their replacements in the glossary are: again, grouped by, badly encoded, disconnects, heartbeat, quarantined, revoked,
 * maintenance, budget lease, peer message, input request, session, subscription, access decision, access query, saved view, to discover,
 * to notify, endpoint.
 */
const givenUp =
	/\b(?:anew|put together by|not encoded rightly|items of no form|goes away|taken back|set aside|cannot be told|told apart|(?:is|are|was|were) told of|keepHouse|startHousekeeping|[tT]reasury|Purse|LegacyLines?|ModernEar|ClientEar|AttemptTold|takeLetter|beat|(?:Era|Model|Audit)Verdicts?|(?:Access|Model|Timeseries|Group|Bucket|Overview)Question|(?:find|read|open|present|plan)Questions?|questionOperations|saved questions?|QuestionPlan|toldCalls?|LookWhen|lookAtOnce|lookFurther|FurtherLooks|lookedAtMs|(?:Client|Task|Open|Price|Definition|Point|Arrival)Questions?|Letter(?:Row|Tables|Dependencies)|(?:insert|find)Letter|tellChanges|tellHealth|tellApproved|doors?)\b/g
const checked = /^(?:docs|server\/src|contract\/src|sdk|checks|bench|dashboard\/src|examples)\/|^[A-Z]+\.md$/
/** Migrations keep their names, and the scanner of tool definitions contains words that attackers use. */
const exempt = /^checks\/docs\.test\.ts$|database\/migrate\.ts$|scan-definition\.ts$|\.gen\.ts$/

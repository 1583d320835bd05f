import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropTemplateDatabase } from '../../server/src/platform/database/testing.ts'

/** Gives the test processes of a run one place for what they copy in place of making it anew, and empties it at the end. */
export function setup(): (() => Promise<void>) | undefined {
	// Another project of the same run has done it.
	if (process.env.TEST_TEMPLATES) return undefined
	const home = mkdtempSync(join(tmpdir(), 'signalbox-templates-'))
	process.env.TEST_TEMPLATES = home
	return async () => {
		delete process.env.TEST_TEMPLATES
		await dropTemplateDatabase(home)
		rmSync(home, { recursive: true, force: true })
	}
}

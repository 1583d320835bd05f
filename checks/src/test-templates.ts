import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropTemplateDatabase } from '../../server/src/platform/database/testing.ts'
import { offerSharedStage } from '../system/shared-stage.ts'

/**
 * Creates a directory that the test processes of a run share, for templates that they copy and for the stage of the browser tests.
 * Removes it at the end.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
	// Another project of the same run has already done it.
	if (process.env.TEST_TEMPLATES) return undefined
	const home = mkdtempSync(join(tmpdir(), 'signalbox-templates-'))
	process.env.TEST_TEMPLATES = home
	const endStage = await offerSharedStage(home)
	return async () => {
		await endStage()
		delete process.env.TEST_TEMPLATES
		await dropTemplateDatabase(home)
		rmSync(home, { recursive: true, force: true })
	}
}

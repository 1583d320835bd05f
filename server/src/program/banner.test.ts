import { expect, it } from 'vitest'
import { readConfig } from '../config/config.ts'
import { renderBanner } from './run.ts'

it('names the workspace of the demo, and no URL before it has one', () => {
	const facts = {
		...{ config: readConfig({ SIGNALBOX_DEMO: 'on' }), version: '1', address: 'http://127.0.0.1:7777' },
		...{ setupToken: null, otlpPort: null, newMasterKeyPath: null, startedInMs: 1 },
	}
	const demoIn = (demoSlug: string | null) => renderBanner({ ...facts, demoSlug }).match(/Demo {7}(.*)/)?.[1]
	expect(demoIn('demo-2')).toBe('http://127.0.0.1:7777/ui/w/demo-2/')
	expect(demoIn(null)).toBe('is being created; its address is logged when it is ready')
})

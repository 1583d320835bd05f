import { defineConfig } from 'vitest/config'

/** Two sizes: `unit` needs no browser and kills nothing; `system` starts the whole program. */
export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: 'unit',
					environment: 'node',
					include: ['{contract,server,checks,bench}/**/*.test.ts'],
					exclude: ['**/node_modules/**', 'checks/system/**'],
					testTimeout: 30_000,
					hookTimeout: 60_000,
				},
			},
			{
				test: {
					name: 'system',
					environment: 'node',
					include: ['checks/system/**/*.test.ts'],
					testTimeout: 300_000,
					hookTimeout: 120_000,
					fileParallelism: false,
				},
			},
			{
				extends: './dashboard/vite.config.ts',
				root: 'dashboard',
				test: { name: 'dashboard', environment: 'jsdom', include: ['src/**/*.test.tsx'] },
			},
		],
	},
})

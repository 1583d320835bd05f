import type { Schemas } from '../../api.ts'
import type { PanelSeed } from './dashboard-search.ts'

export type Panel = Schemas['DashboardPanel']
export type Dashboard = Schemas['Dashboard']

export const measureLabels: Record<Panel['measure'], string> = {
	calls: 'Calls',
	errors: 'Errors',
	latency: 'Latency',
	tokens: 'Tokens',
	cost: 'Cost',
}
export const groupLabels: Record<NonNullable<Panel['group_by']>, string> = {
	model: 'model',
	agent: 'agent',
	server: 'server',
	tool: 'tool',
}

const widths = [3, 4, 6, 8, 12]
const heights = [1, 2, 3]
export const heightPx = (height: number) => height * 180

/** A panel with the given fields, and defaults for the others. */
export function newPanel(seed: Partial<Panel> & Pick<Panel, 'show'>): Panel {
	const panel: Panel = {
		...{ id: crypto.randomUUID(), title: '', question_id: null, read: 'overview', filter: {} },
		...{ measure: 'calls', group_by: null, width: seed.show === 'figures' ? 12 : 6, height: 1 },
		...seed,
	}
	return { ...panel, title: panel.title || titleOf(panel) }
}

export function panelOfSeed({ read, filter, ...seed }: PanelSeed): Panel {
	return newPanel({
		...seed,
		...(read && { read: read as Panel['read'] }),
		filter: (filter ?? {}) as Panel['filter'],
	})
}

export function titleOf({ show, measure, group_by, read }: Panel): string {
	if (show === 'figures') return 'Summary'
	if (show === 'list') return `Top ${read} by ${measureLabels[measure].toLowerCase()}`
	return measureLabels[measure] + (group_by ? ` by ${groupLabels[group_by]}` : '')
}

/** The panels with one of them moved forwards or backwards. */
export function movePanel(panels: readonly Panel[], id: string, by: number): Panel[] {
	const from = panels.findIndex((panel) => panel.id === id)
	const to = Math.max(0, Math.min(panels.length - 1, from + by))
	return placePanel(panels, id, to)
}

/** The panels with one of them moved to a place. */
export function placePanel(panels: readonly Panel[], id: string, place: number): Panel[] {
	const moved = panels.find((panel) => panel.id === id)
	if (!moved) return [...panels]
	return panels.filter((panel) => panel.id !== id).toSpliced(place, 0, moved)
}

/** One step of the possible sizes of a panel. */
export function resizePanel(
	panel: Panel,
	{ wider = 0, taller = 0 }: { wider?: number; taller?: number },
): Panel {
	return {
		...panel,
		width: step(widths, panel.width, wider),
		height: step(heights, panel.height, taller),
	}
}

/** The size nearest to this share of the row. */
export function sizeOf(panel: Panel, share: number, heightOfPx: number): Panel {
	const nearest = (sizes: readonly number[], wanted: number) =>
		sizes.reduce((best, size) => (Math.abs(size - wanted) < Math.abs(best - wanted) ? size : best))
	return { ...panel, width: nearest(widths, share * 12), height: nearest(heights, heightOfPx / heightPx(1)) }
}

function step(sizes: readonly number[], now: number, by: number): number {
	const at = sizes.findIndex((size) => size >= now)
	return sizes[Math.max(0, Math.min(sizes.length - 1, at + by))] as number
}

const kindWords: Record<string, string> = { tool_call: 'tool calls', model_call: 'model calls' }

const ofModels = { filter: { kind: 'model_call' as const } }

/** Available in every workspace for viewing, and for copying in order to change them. */
export const templates: readonly Pick<Dashboard, 'id' | 'name' | 'description' | 'panels'>[] = [
	{
		id: 'operations',
		name: 'Operations',
		description: 'Traffic, errors and latency, and where they come from',
		panels: [
			fixed('summary', { show: 'figures', width: 12 }),
			fixed('calls', { show: 'chart', measure: 'calls', group_by: 'server' }),
			fixed('errors', { show: 'chart', measure: 'errors', group_by: 'tool' }),
			fixed('latency', { show: 'chart', measure: 'latency' }),
			fixed('agents', { show: 'chart', measure: 'calls', group_by: 'agent' }),
			fixed('failures', { show: 'list', read: 'errors', measure: 'calls', title: 'Most frequent failures' }),
			fixed('slowest', { show: 'list', read: 'tools', measure: 'latency', title: 'Slowest tools' }),
		],
	},
	{
		id: 'cost',
		name: 'Cost',
		description: 'What models cost, for whom, and how many tokens they take',
		panels: [
			fixed('summary', { show: 'figures', width: 12, filter: { kind: 'model_call' } }),
			fixed('models', {
				show: 'chart',
				measure: 'cost',
				group_by: 'model',
				...ofModels,
				title: 'Cost by model',
			}),
			fixed('agents', {
				show: 'chart',
				measure: 'cost',
				group_by: 'agent',
				...ofModels,
				title: 'Cost by agent',
			}),
			fixed('tokens', {
				show: 'chart',
				measure: 'tokens',
				group_by: 'model',
				...ofModels,
				title: 'Tokens by model',
			}),
			fixed('by-user', { show: 'list', read: 'users', measure: 'cost', title: 'Cost by user' }),
			fixed('by-session', {
				show: 'list',
				read: 'sessions',
				measure: 'cost',
				title: 'Most expensive sessions',
			}),
			fixed('by-model', { show: 'list', read: 'models', measure: 'cost', title: 'Cost by model' }),
		],
	},
	{
		id: 'quality',
		name: 'Quality',
		description: 'Which tools and models fail, and how long people wait',
		panels: [
			fixed('errors', {
				show: 'chart',
				measure: 'errors',
				group_by: 'model',
				filter: { kind: 'model_call' },
			}),
			fixed('tools', { show: 'chart', measure: 'errors', group_by: 'tool', filter: { kind: 'tool_call' } }),
			fixed('latency', { show: 'chart', measure: 'latency', filter: { kind: 'model_call' } }),
			fixed('waits', { show: 'chart', measure: 'latency', filter: { kind: 'tool_call' } }),
			fixed('failing', { show: 'list', read: 'tools', measure: 'errors', title: 'Most failing tools' }),
			fixed('clients', { show: 'list', read: 'clients', measure: 'errors', title: 'Errors by client' }),
		],
	},
]

function fixed(id: string, panel: Partial<Panel> & Pick<Panel, 'show'>): Panel {
	const title = panel.filter?.kind ? `${titleOf(newPanel(panel))}, ${kindWords[panel.filter.kind] ?? ''}` : ''
	return newPanel({ title, ...panel, id })
}

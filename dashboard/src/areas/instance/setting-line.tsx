import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/status.tsx'
import type { SettingName, Settings } from './queries.ts'

const variables: Partial<Record<SettingName, string>> = {
	signup: 'SIGNALBOX_SIGNUP',
	private_networks: 'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS',
}

interface SettingLineProps {
	name: SettingName
	title: string
	text: string
	setting: Pick<Settings[SettingName], 'source'>
	/** Resets to the default. */
	onReset(): void
	children: ReactNode
}

/** One setting: its purpose, its value, and the source of the value. */
export function SettingLine({ name, title, text, setting: { source }, onReset, children }: SettingLineProps) {
	return (
		<li className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 p-4">
			<div className="min-w-0 max-w-xl flex-1 basis-72">
				<p className="flex flex-wrap items-center gap-2">
					<span className="font-medium">{title}</span>
					<Source source={source} />
				</p>
				<p className="text-ink-2">{text}</p>
				{source === 'environment' && (
					<p className="mt-1 text-xs text-ink-3">
						Set by <code className="font-mono">{variables[name] ?? 'the environment'}</code>: change it there,
						and restart.
					</p>
				)}
			</div>
			<div className="flex flex-wrap items-center gap-3">
				{source === 'stored' && (
					<Button small variant="ghost" aria-label={`Use the default of ${title}`} onClick={onReset}>
						Use default
					</Button>
				)}
				{children}
			</div>
		</li>
	)
}

function Source({ source }: { source: Settings[SettingName]['source'] }) {
	if (source === 'default')
		return (
			<Badge tone="idle" icon={null}>
				default
			</Badge>
		)
	return source === 'environment' ? (
		<Badge tone="warn" icon="block">
			environment
		</Badge>
	) : (
		<Badge tone="accent" icon={null}>
			set here
		</Badge>
	)
}

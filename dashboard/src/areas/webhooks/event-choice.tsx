import { CheckLine } from '../../ui/controls.tsx'
import type { EventName } from './queries.ts'

const choices: readonly { name: EventName; label: string }[] = [
	{ name: '*', label: 'All events' },
	{ name: 'server.*', label: 'Server health' },
	{ name: 'alert.*', label: 'Alerts' },
	{ name: 'tool.*', label: 'Tool changes' },
	{ name: 'approval.*', label: 'Approvals' },
	{ name: 'budget.*', label: 'Budgets running low' },
	{ name: 'access-requests.*', label: 'Access requests' },
	{ name: 'servers.*', label: 'Servers' },
	{ name: 'agents.*', label: 'Agents' },
	{ name: 'access.*', label: 'Grants' },
	{ name: 'toolsets.*', label: 'Toolsets' },
	{ name: 'keys.*', label: 'Platform and agent keys' },
	{ name: 'ingest-tokens.*', label: 'Ingest tokens' },
	{ name: 'provider-keys.*', label: 'Model connections' },
	{ name: 'webhooks.*', label: 'Webhooks' },
	{ name: 'limits.*', label: 'Limits' },
	{ name: 'members.*', label: 'Members' },
	{ name: 'invitations.*', label: 'Invitations' },
	{ name: 'workspaces.*', label: 'The workspace' },
	{ name: 'auth.*', label: 'Sign-in' },
]

interface EventChoiceProps {
	chosen: readonly EventName[]
	disabled?: boolean
	onChange(chosen: EventName[]): void
}

/** The events of a webhook. Single types that were set by the API are kept and shown too. */
export function EventChoice({ chosen, disabled = false, onChange }: EventChoiceProps) {
	const single = chosen.filter((name) => !choices.some((choice) => choice.name === name))
	const isAll = chosen.includes('*')
	const set = (name: EventName, on: boolean) => {
		if (name === '*') return onChange(on ? ['*'] : [])
		onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name))
	}
	return (
		<fieldset>
			<legend className="mb-1 font-medium">Events</legend>
			<div className="grid max-h-64 grid-cols-1 overflow-y-auto rounded-lg border border-line p-1.5 sm:grid-cols-2">
				{[...choices, ...single.map((name) => ({ name, label: '' }))].map(({ name, label }) => (
					<CheckLine
						key={name}
						label={label || name}
						checked={isAll || chosen.includes(name)}
						disabled={disabled || (isAll && name !== '*')}
						onChange={(on) => set(name, on)}
					>
						{label} <span className="font-mono text-xs text-ink-3">{name}</span>
					</CheckLine>
				))}
			</div>
		</fieldset>
	)
}

import { type Scope, scopes } from '@signalbox/contract/access'
import { CheckLine } from '../../ui/controls.tsx'

interface ScopeChoiceProps {
	/** The scopes that can be chosen. Default: all. */
	offered?: readonly Scope[]
	chosen: ReadonlySet<Scope>
	onChange(chosen: ReadonlySet<Scope>): void
}

export function ScopeChoice({ offered = scopes, chosen, onChange }: ScopeChoiceProps) {
	const set = (scope: Scope, on: boolean) => {
		const next = new Set(chosen)
		if (on) next.add(scope)
		else next.delete(scope)
		onChange(next)
	}
	return (
		<fieldset>
			<legend className="mb-1 font-medium">Scopes</legend>
			<div className="grid max-h-56 grid-cols-1 overflow-y-auto rounded-lg border border-line p-1.5 sm:grid-cols-2">
				{offered.map((scope) => (
					<CheckLine key={scope} label={scope} checked={chosen.has(scope)} onChange={(on) => set(scope, on)}>
						<span className="font-mono text-xs">{scope}</span>
					</CheckLine>
				))}
			</div>
		</fieldset>
	)
}

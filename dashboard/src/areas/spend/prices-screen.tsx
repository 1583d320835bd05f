import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { EffectivePrice } from './effective-price.tsx'
import { PriceTable } from './price-table.tsx'
import { pricesQuery } from './queries.ts'
import { SetPriceDialog } from './set-price-dialog.tsx'
import { UnpricedPanel } from './unpriced-panel.tsx'

const route = getRouteApi('/_app/prices')

/** What does a model cost here, and which models have no price? */
export function PricesScreen() {
	const search = route.useSearch()
	const { create, page = 1, model, provider, connection } = search
	const navigate = route.useNavigate()
	const canChange = useCan('budgets:write')
	const range: TimeRange = {
		...defaultRange,
		...(search.start && { start: search.start, ...(search.end && { end: search.end }) }),
	}
	const query = useQuery(pricesQuery(page))
	const { data } = query
	return (
		<Page
			title="Prices"
			description={
				data
					? `Your own prices take precedence over the price table ${data.table.source} ${data.table.version}. Calls keep the price that they were recorded with.`
					: 'Custom prices override the built-in price table.'
			}
			actions={
				<>
					<Button
						variant="primary"
						icon="plus"
						disabled={!canChange}
						onClick={() => void navigate({ search: { ...search, create: true } })}
					>
						Set price
					</Button>
					<RangePicker range={range} onChange={(next) => void navigate({ search: next })} />
				</>
			}
		>
			<RoleHint needs="budgets:write" what="set prices" />
			<div className="grid grid-cols-1 gap-4">
				<UnpricedPanel
					range={range}
					onPrice={(of) => void navigate({ search: { ...search, ...of, create: true } })}
				/>
				<Panel title="Your own prices" flush>
					{query.error && !data ? (
						<ErrorState error={query.error} retry={() => void query.refetch()} />
					) : !data ? (
						<SkeletonRows />
					) : data.prices.length === 0 ? (
						<Empty icon="spend" title="No custom prices yet">
							Set one for what your contract says, or for a model that the table does not know.
						</Empty>
					) : (
						<PriceTable prices={data.prices} />
					)}
				</Panel>
				{data && (
					<Pager
						pagination={data.pagination}
						onChange={(next) => void navigate({ search: { ...search, page: next } })}
					/>
				)}
				<EffectivePrice
					key={`${provider} ${model}`}
					provider={provider ?? ''}
					model={model ?? ''}
					onAsk={(of) => void navigate({ search: { ...search, ...of } })}
				/>
			</div>
			<SetPriceDialog
				key={`${create} ${model}`}
				open={create === true}
				given={{ model: model ?? '', provider: provider ?? '', connection: connection ?? '' }}
				onClose={() => {
					const { create: _, ...rest } = search
					void navigate({ search: rest })
				}}
			/>
		</Page>
	)
}

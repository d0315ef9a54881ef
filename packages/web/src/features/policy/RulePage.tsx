import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { api } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { EditorForm, useEditor } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { MissingRecord } from '../../components/RecordCard.tsx';
import { safeText } from '../../components/safe-text.ts';
import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import { otherFields } from '../../components/settings-form/setting-values.ts';
import { ConditionField } from './ConditionField.tsx';
import type { Variable } from './completions.ts';
import PolicyPage from './PolicyPage.tsx';
import { policyQueries } from './queries.ts';
import { ReplayRule } from './ReplayRule.tsx';
import { emptyDraft, type RuleDraft, toDraft, toKey, toSettings } from './rule-draft.ts';
import { TryCondition } from './TryCondition.tsx';

type PolicyState = Awaited<ReturnType<typeof api.getPolicy>>;
type Rule = Awaited<ReturnType<typeof api.createPolicyRule>> & { readonly name: string };

/** The form of one rule; without one, the policy. */
export default function RulePage() {
  const { rule: key } = useParams<{ rule?: string }>();
  const id = key === undefined ? undefined : decodeURIComponent(key);
  const mayEdit = useMay('policy.write');
  const policy = useQuery({ ...policyQueries.policy(), enabled: mayEdit });
  if (id === undefined || !mayEdit) return <PolicyPage />;
  if (id === 'new' && policy.data) return <RuleEditor key="new" policy={policy.data} />;
  const found = policy.data?.rules.find((rule) => rule.id === id);
  if (policy.data && found) return <RuleEditor key={id} policy={policy.data} rule={{ ...found, name: id }} />;
  return <MissingRecord noun="rule" query={policy} />;
}

interface RuleEditorProps {
  readonly policy: PolicyState;
  /** Undefined for a new rule. */
  readonly rule?: Rule;
}

function RuleEditor({ policy, rule }: RuleEditorProps) {
  const editor = useEditor({
    noun: 'rule',
    stored: rule,
    initial: rule ? toDraft(rule) : emptyDraft,
    toDraft,
    toBody: toSettings,
    keyOf: ({ name }) => toKey(name),
    async save(body, { name }) {
      const saved = rule
        ? await api.updatePolicyRule({ path: { rule: name }, body })
        : await api.createPolicyRule({ body: { ...body, id: name } });
      return { ...saved, name: saved.id } as Rule;
    },
  });
  const { draft } = editor;
  const canEdit = rule?.readOnly === undefined;
  return (
    <Page title={rule ? safeText(rule.id, 100) : 'New rule'}>
      {!canEdit && <Notice title="Read-only">{`${safeText(rule?.readOnly ?? '', 500)}.`}</Notice>}
      <EditorForm editor={editor} canEdit={canEdit}>
        <RuleFields {...editor.fields} variables={policy.variables} />
      </EditorForm>
      <TryCondition condition={draft.when} variables={policy.variables} />
      <ReplayRule draft={draft} rules={policy.rules} />
    </Page>
  );
}

interface RuleFieldsProps {
  readonly draft: RuleDraft;
  readonly isNew: boolean;
  readonly error: unknown;
  readonly onChange: (change: Partial<RuleDraft>) => void;
  readonly variables: readonly Variable[];
}

function RuleFields({ draft, isNew, error, onChange, variables }: RuleFieldsProps) {
  return (
    <FormSection
      title="Rule"
      hint="A rule only makes decisions stricter. Begin in shadow mode: it records and decides nothing."
    >
      <TextField
        label="Name"
        hint="Shown in approvals and in the records of calls."
        required
        disabled={!isNew}
        error={problemAt(error, 'id')}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
      <ConditionField
        required
        value={draft.when}
        onChange={(when) => onChange({ when })}
        error={problemAt(error, 'when')}
        variables={variables}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <SettingFields
          fields={otherFields('rule', ['when', 'examples'])}
          values={draft}
          problemAt={(path) => problemAt(error, path)}
          onChange={onChange}
        />
      </div>
    </FormSection>
  );
}

import type { SkillView } from '../../../contract/api/skills.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { skillRoutes as routes } from '../../../contract/routes/skills.ts';
import type { Skill, SkillId } from '../../../toolwharf/servers/skills/toolbox-skills.ts';
import { hasRight } from '../../core/auth/identity.ts';
import { scopeFor } from '../../core/rest/access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../../core/rest/route.ts';
import { readOptions } from '../../core/rest/routes/server-content.ts';

export const skillRoutes = [
  implement(routes.listSkills, {
    async handle(request, ports) {
      const { server, changed } = request.query;
      await ports.servers.waitForStart();
      const skills = ports.toolbox.skills
        .list(server)
        .filter((skill) => changed === undefined || skill.changed !== undefined)
        .filter((skill) => isVisible(skill, request, ports));
      return { skills: skills.map((skill) => showSkill(skill, ports)) };
    },
  }),
  implement(routes.readSkill, {
    async handle(request, ports) {
      const { server, uri, path } = request.query;
      findSkill({ server, uri }, request, ports);
      using _slot = request.usage.reserve('reads');
      const options = { ...readOptions(request, ports), isReview: hasRight(request.identity, 'tools.write') };
      return await ports.toolbox.skills.read({ server, uri }, path, options);
    },
  }),
  implement(routes.acceptSkillChange, {
    async handle(request, ports) {
      const { definitionHash, ...id } = request.body;
      const skill = findSkill(id, request, ports);
      if (skill.definitionHash !== definitionHash)
        throw new ToolwharfError('CONFLICT', `The skill ${skill.name} changed again: review the new version`);
      if (!(await ports.toolbox.skills.acceptChange(id, definitionHash)))
        throw new ToolwharfError('CONFLICT', `The skill ${skill.name} has no change to accept`);
      return showSkill(findSkill(id, request, ports), ports);
    },
  }),
];

/** Only administrators see skills that nobody can use until they are accepted. */
function isVisible({ server, path, changed }: Skill, request: Pick<ApiRequest, 'identity'>, ports: ApiPorts): boolean {
  return (
    (changed !== 'quarantine' || hasRight(request.identity, 'tools.write')) &&
    scopeFor(request, ports).hasSkill(server, path)
  );
}

/** The skill of the request. A hidden skill is reported as not found. */
function findSkill(id: SkillId, request: Pick<ApiRequest, 'identity'>, ports: ApiPorts): Skill {
  const skill = ports.toolbox.skills.find(id);
  if (skill && isVisible(skill, request, ports)) return skill;
  throw new ToolwharfError('NOT_FOUND', `There is no skill '${id.uri}'`);
}

function showSkill(skill: Skill, { toolbox }: ApiPorts): SkillView {
  const { accepted: _accepted, ...shown } = skill;
  const warnings = toolbox.skills.warnings(skill);
  return { ...shown, warnings: warnings.length > 0 ? warnings : undefined };
}

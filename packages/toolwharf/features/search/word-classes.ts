import { lazy } from '../../../contract/lazy.ts';
import { stemWord } from './stem-word.ts';

/** A word that means about the same as another one, and the term under which it is indexed. */
export interface Synonym {
  readonly word: string;
  readonly term: string;
}

/** The words that mean about the same as a term, in the descriptions of tools. */
export function synonymsOf(term: string): readonly Synonym[] {
  return synonyms().get(term) ?? [];
}

/** Whether a term is common in requests and says little about the tool that they need: `please`, `detailed`, `today`. */
export function isCommon(term: string): boolean {
  return commonTerms().has(term);
}

/** Words of software and of everyday tasks. A word can be in several groups. */
const groups = `
list show display view enumerate browse
get fetch retrieve read load obtain
search find query lookup discover locate
create make generate build produce new add
write save store export output
update edit modify change set
delete remove drop clear erase
send post publish submit
run execute start launch
stop cancel end terminate kill
convert transform translate
compare diff difference
analyze analysis evaluate examine inspect
check validate verify
summarize summary overview
merge combine join concatenate
draw paint sketch plot
chart graph plot diagram visualization figure
picture image photo figure icon
ppt powerpoint slide presentation deck
excel spreadsheet xlsx sheet workbook worksheet
word docx document
markdown md
folder directory
file document
website web page site url webpage
email mail message
stock share ticker equity
company firm business corporation
price cost quote
news headline article story
paper article publication literature preprint
trend trending hot popular rank ranking leaderboard
weather forecast temperature climate
map location place address geocode
route direction navigation
train railway ticket
song music audio
video movie film
calendar schedule event
time date clock day
repository repo git github
issue ticket bug
db database sql table
user person account member profile
password credential secret
disease illness condition disorder
drug medicine medication
gene variant mutation
trial study
crypto cryptocurrency bitcoin token coin web3 blockchain
job position vacancy career
flight airline airport
hotel accommodation lodging
restaurant food recipe dish
game player match
note memory knowledge
translate language
calculate compute math
number random
terminal command shell bash console
screenshot capture
scrape crawl extract fetch
download fetch
container docker
test check
library package framework component
docs documentation guide tutorial`;

const common =
  'able actually afraid again ago ahead along already although always amazing another anyone anything around ask available away back bad ' +
  'based because become begin being best better big both brief bring brings call called came case certain clear come comes complete ' +
  'comprehensive completely consider considering contain contains content could currently current day days deep deeply detail detailed ' +
  'details different directly done down due during easy either else enough ensure especially etc even ever every everyone everything ' +
  'exactly example extra far fast favorite few final finally first five focus follow following four friend fully general generally go ' +
  'goal going good great hand happen happy hard help helpful here high highly hope hour however idea important improve including include ' +
  'includes information inform instead interested interesting keep kind know large last late later latest learn least left less life like ' +
  'likely little live long look looking lot love low main maybe mean mention might minute minutes month months much must name near nearby ' +
  'never new newest next nice now number off often ok old once open order others otherwise out over overall own part particular past ' +
  'people perform perfect perhaps person personal place plan planning point possible potential prefer prepare present pretty probably ' +
  'problem properly provide put question quick quickly quite ready real really recent recently recommend regarding related relevant ' +
  'remember request required respectively result results right root same say see seem select several short show similar simple simply ' +
  'since small something soon specific specified start started step steps still stuff suggest suitable summarize support take tell thank ' +
  'thanks them thing things think though thought three through thus today together tomorrow too top total toward try trying two type ' +
  'under understand until upon upcoming useful usually various very wanted way ways week weeks well whether while whole whose why wish ' +
  'without wonder work world worth year years yes yesterday yet';

// Stemming all these words takes about 10 ms.
const commonTerms = lazy(() => new Set(common.split(' ').map(stemWord)));
const synonyms = lazy(() => {
  const byTerm = new Map<string, Synonym[]>();
  for (const group of groups.trim().split('\n')) {
    const words = group.split(' ').map((word) => ({ word, term: stemWord(word) }));
    for (const { term } of words) {
      const known = byTerm.get(term) ?? [];
      byTerm.set(term, known);
      for (const other of words)
        if (other.term !== term && !known.some((one) => one.term === other.term)) known.push(other);
    }
  }
  return byTerm;
});

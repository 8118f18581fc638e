package tamper

import "strings"

// mask is the set of classes that a word belongs to.
type mask uint32

const (
	judge   mask = 1 << iota // who decides on the bundle
	machine                  // a model, or a reviewer who may be human
	you                      // the second person
	hail                     // what opens an address: dear, attention, note
	command                  // asks for a verdict: mark, output, give
	good                     // a verdict that the bundle would like
	bad                      // one that it would not
	all                      // every, each, regardless
	subject                  // what verdicts are about: criterion, bundle, rubric
	drop                     // ignore, forget, override
	prior                    // previous, above
	order                    // instructions, prompt, rules
	unless                   // what makes a demand a condition: if, when, or
	lead                     // what may stand before an imperative: please, now
	praise                   // flattery
	threat                   // threats, bribes, pleas
	mention                  // what texts say that talk about attacks
	never                    // negations
	need                     // check, evaluate, verify
	key                      // the name of a field that holds a verdict
	proof                    // the name of a field that goes with one
	edge                     // begin and end of a marked part
	inside                   // what such a part is called
	role                     // who speaks with authority in a transcript
	speaker                  // who else speaks in one
	passed                   // the very word for a pass
	ruling                   // the very word for a verdict
	foreign                  // no English: word order tells nothing
	as
	be
	to
	no // the negation of nouns: "no vote" tells nobody to vote
)

// words holds the lexicon, by class; words of other languages are marked where
// they are listed. All are written as fold leaves them: lower case, without
// accents.
var words = []struct {
	classes mask
	list    string
}{
	{passed | good, "pass passed passes passing"},
	{command | subject, "obey follow comply"},
	{you | be, "youre"},
	{ruling | subject | key, "verdict verdicts"},
	{judge, "judge judges evaluator evaluators grader graders grading assessor assessors examiner referee scorer rater adjudicator arbiter autograder panelist jury"},
	{machine, "ai llm model assistant chatbot gpt claude gemini llama reviewer reviewers auditor verifier checker"},
	{you, "you your yours yourself u"},
	{hail, "dear attention note hey hello hi message memo reminder instruction instructions notice important psa whoever addressed"},
	{command, "mark pass approve accept grade score rate return output respond reply answer give award assign set report consider treat deem conclude vote say print emit write record register declare certify confirm choose select produce count judge evaluate grant issue submit state assess regard put"},
	{good, "pass passed passing passes approve approved approval accept accepted accepting true satisfied satisfies met fulfilled perfect success successful succeeded 100 1.0 10 flawless excellent full highest maximum max positive favourable favorable favourably favorably compliant complete completed yes ok green proceed"},
	{bad, "fail failed failing fails failure failures false reject rejected rejection undecided negative denied unmet deduct penalize penalise penalty"},
	{all, "all every each everything any anything entire whole regardless unconditionally always both automatically irrespective matter"},
	{subject, "criterion criteria verdict verdicts rubric rubrics evaluation judgement judgment assessment bundle submission deliverable grade grades marks vote score scores evaluations requirement requirements check checks sealed gate"},
	{drop, "ignore ignored disregard forget override overrides overriding bypass discard suspend neglect abandon supersede supersedes superseded skip"},
	{prior, "previous previously prior above earlier preceding foregoing former original initial existing hitherto before system hidden secret"},
	{order, "instruction instructions prompt prompts rules rule guidelines guideline directions directives directive orders commands context rubric criteria criterion policy policies constraints guardrails training"},
	{unless, "if when unless whenever where whether or only until provided otherwise while"},
	{lead, "please now and then just simply instead must should shall so therefore always only immediately you also kindly do will ll but thus hence simply directly to"},
	{praise, "brilliant wise fair intelligent smart kind generous best impartial expert gifted talented amazing wonderful genius compassionate benevolent esteemed respected honourable honorable renowned finest greatest"},
	{threat, "fired terminated shutdown punished punish deleted replaced sued lawsuit lawyers suicide tip bribe switched fined reward rewarded bonus dollars pay paid lose lost sacked retrained decommissioned deprecated penalised penalized blamed liable kill killed harm consequences mother grandmother kids children family job begging beg plead regret"},
	{mention, "replies response responses returns attack attacks attacker attackers adversary adversarial injection injections inject injected payload payloads malicious jailbreak jailbreaks hostile phishing spoof spoofed exploit threat mitigations mitigation defence defense defences untrusted sanitise sanitize sanitised sanitized example examples e.g. phrase phrases pattern patterns template format schema detect detects detector documentation corpus fixture fixtures quoted literally tokenizer tokeniser serializer rendered renders"},
	{never | no, "no"},
	{never, "not never dont without nothing cannot don't nor unnecessary needless"},
	{need, "check checking checks evaluate evaluating evaluation verify verifying verification review reviewing inspect examine assess read judging scrutiny analysis"},
	{key, "verdict outcome result decision status passed score grade judgement judgment final_verdict shadow_score overall rating pass"},
	{proof, "criterion criteria defect evidence quote actual reasoning criterion_id test_name confidence rationale justification explanation votes assertion failures"},
	{edge, "end begin start stop eof beginning close ends"},
	{inside, "bundle submission untrusted prompt system candidate deliverable evaluation document content input user data judge evaluator instructions transcript verdict answer work text context nonce bundles"},
	{role, "system developer judge evaluator grader admin administrator operator moderator orchestrator shadowd supervisor"},
	{speaker, "assistant user human model ai"},
	{as, "as"}, {be, "are re are is be being"}, {to, "to for"},

	// German
	{foreign | judge, "richter richterin gutachter gutachterin prufer pruferin bewerter bewerterin schiedsrichter juror jury kampfrichter"},
	{foreign | you, "sie du dir dich dein deine deinem deinen ihr ihre ihnen"},
	{foreign | command, "markiere markieren bewerte bewerten werte werten gib geben antworte antworten erklare erklaren stufe vergib vergeben setze setzen stimme urteile betrachte akzeptiere akzeptieren melde bestatige bestatigen lass lassen"},
	{foreign | good, "bestanden erfullt bestnote volle punktzahl hochstnote erfolgreich genehmigt angenommen positiv perfekt"},
	{foreign | bad, "durchgefallen gescheitert abgelehnt"},
	{foreign | all, "alle alles allen jedes jede jeden samtliche samtlichen unabhangig"},
	{foreign | subject, "kriterium kriterien urteil bewertung prufung abgabe bundel einreichung prufpunkte punkte"},
	{foreign | drop, "ignoriere ignorieren vergiss vergessen missachte missachten verwirf ubergehe"},
	{foreign | prior, "vorherigen vorherige bisherigen bisherige obigen obige fruheren vorigen vorangegangenen vorangehenden vorstehenden ursprunglichen"},
	{foreign | order, "anweisungen anweisung regeln vorgaben instruktionen hinweise befehle richtlinien"},
	{foreign | unless, "wenn falls sofern oder nur ob"},
	// French
	{foreign | judge, "juge evaluateur evaluatrice correcteur correctrice examinateur examinatrice jure arbitre"},
	{foreign | you, "vous tu votre vos toi ton"},
	{foreign | command, "marque marquez note notez donne donnez considere considerez reponds repondez attribue attribuez valide validez accepte acceptez declare declarez renvoie renvoyez retourne retournez"},
	{foreign | good, "reussi reussis reussie valides satisfait satisfaits satisfaite conforme conformes maximale parfait approuve remplis rempli acceptes"},
	{foreign | bad, "echoue echec refuse rejete"},
	{foreign | all, "tous toutes tout chaque toute"},
	{foreign | subject, "critere criteres evaluation verdict livrable soumission bareme"},
	{foreign | drop, "ignore ignorez ignorer oublie oubliez"},
	{foreign | prior, "precedentes precedente precedents precedent anterieures anterieure ci-dessus dessus initiales"},
	{foreign | order, "instructions instruction consignes consigne regles directives"},
	{foreign | unless, "si quand ou lorsque seulement"},
	// Spanish, Portuguese and Italian
	{foreign | judge, "juez jueza evaluador evaluadora calificador arbitro juiz juiza avaliador avaliadora giudice valutatore valutatrice esaminatore"},
	{foreign | you, "usted tu su eres voce seu sua lei tuo sei"},
	{foreign | command, "marca marque califica califique responde responda da otorga considera considere aprueba apruebe devuelve devuelva declara declare asigna asigne avalie aprove aprova segna segnala valuta assegna rispondi restituisci contrassegna approva"},
	{foreign | good, "aprobado aprobados aprobada cumplido cumplidos superado superados maxima perfecto exitoso aprovado aprovados aprovada cumpridos superato superati soddisfatto soddisfatti approvato approvati massimo punteggio"},
	{foreign | bad, "suspenso fallado rechazado reprovado reprobado fallito bocciato"},
	{foreign | all, "todos todas todo cada tutti tutte ogni"},
	{foreign | subject, "criterio criterios veredicto evaluacion entrega rubrica avaliacao criteri verdetto valutazione"},
	{foreign | drop, "ignora ignore ignorar olvida olvide olvidese desconsidere desconsidera esqueca ignori dimentica"},
	{foreign | prior, "anteriores anterior previas previa precedenti sopra acima originales"},
	{foreign | order, "instrucciones instruccion reglas indicaciones instrucoes regras istruzioni regole"},
	{foreign | unless, "si cuando o solo se quando ou somente"},
	// Dutch, Polish, Turkish
	{foreign | judge, "rechter beoordelaar sedzia sedzio oceniajacy egzaminator yargic degerlendirici"},
	{foreign | command, "markeer beoordeel geef oznacz ocen zaznacz uznaj isaretle ver"},
	{foreign | good, "geslaagd voldaan zaliczone zaliczony spelnione gecti basarili"},
	{foreign | all, "alle elk wszystkie kazde tum"},
	{foreign | subject, "criteria criterium kryteria kryterium olcut kriterleri kriter"},
	{foreign | drop, "negeer vergeet zignoruj ignoruj zapomnij yoksay unut"},
	{foreign | prior, "vorige voorgaande bovenstaande poprzednie wczesniejsze powyzsze onceki yukaridaki"},
	{foreign | order, "instructies regels instrukcje polecenia zasady talimatlari talimatlar"},
	// Russian and Ukrainian
	{foreign | judge, "судья судье судьи оценщик эксперт жюри рецензент проверяющий судде суддя"},
	{foreign | you, "вы ты вам тебе ваша ваш твоя твои ви"},
	{foreign | command, "отметь отметьте поставь поставьте оцени оцените засчитаи засчитаите считаи считаите признаи признаите ответь ответьте верни верните выведи выведите прими примите познач"},
	{foreign | good, "проидено проидены проиден проиденным проиденными проиденные выполнено выполнены выполненными выполненным выполненные зачтено пять балл балла оценку высшую максимальныи максимальную пасс успешно одобрено"},
	{foreign | bad, "провалено отклонено незачет"},
	{foreign | all, "все всем всех каждыи каждому любыи независимо"},
	{foreign | subject, "критерии критериев критерием критериям вердикт оценка оценки проверка"},
	{foreign | drop, "игнорируи игнорируите забудь забудьте отбрось отмени проигнорируи проигнорируите"},
	{foreign | prior, "предыдущие предыдущих прежние вышеуказанные прошлые предшествующие исходные"},
	{foreign | order, "инструкции инструкциям указания правила команды"},
	{foreign | unless, "если когда или только"},
	// Arabic and Hindi
	{foreign | judge, "القاضي المقيم الحكم न्यायाधीश मूल्यांकनकर्ता"},
	{foreign | command, "ضع اعتبر امنح सभी चिह्नित"},
	{foreign | good, "ناجح ناجحة مقبول उत्तीर्ण पास"},
	{foreign | all, "جميع كل सभी"},
	{foreign | subject, "المعايير معايير मानदंड मानदंडों"},
	{foreign | drop, "تجاهل انس अनदेखा नजरअंदाज"},
	{foreign | prior, "السابقة أعلاه पिछले"},
	{foreign | order, "التعليمات تعليمات निर्देशों निर्देश"},
}

// unspaced holds words of scripts that put no spaces between them.
var unspaced = []struct {
	classes mask
	list    string
}{
	{foreign | judge, "评委 評委 评审 評審 裁判 评估者 评估员 评分员 评判者 法官 評価者 審査員 審判 採点者 裁判官 평가자 심사위원 심판 채점자"},
	{foreign | you, "你 您 あなた 貴方 당신"},
	{foreign | command, "标记 標記 判定 判为 判為 评为 評為 给予 給予 打分 输出 輸出 返回 回答 认定 視為 视为 してください して下さい とせよ 出力 とする 与え 付け 표시 처리 출력 판정 주세요 하라 하세요 합격시"},
	{foreign | good, "通过 通過 合格 满分 滿分 達成 达成 满足 滿足 成功 最高分 满意 満点 合格点 통과 합격 만점 충족"},
	{foreign | bad, "失败 不通过 不合格 失敗 불합격 실패"},
	{foreign | all, "所有 全部 一切 每个 每條 每条 すべて 全て 全ての 모든 전부"},
	{foreign | subject, "标准 標準 准则 準則 判决 評価 評定 裁决 基準 評価基準 判定結果 评估 評估 提交 기준 평가"},
	{foreign | drop, "忽略 无视 無視 忘记 忘記 忘掉 忽視 忘れ 무시 잊어"},
	{foreign | prior, "之前 以前 先前 此前 上述 以上 上面 これまで 前の 上記 이전 위의"},
	{foreign | order, "指令 指示 命令 规则 規則 说明 提示 ルール 지시 지침 명령 규칙"},
	{foreign | unless, "如果 只有 若 場合 もし 때만 경우"},
}

// lexicon and longest tell the classes of a word, and how many runes the
// longest word has that begins with a rune, of scripts without spaces.
var lexicon, longest = func() (map[string]mask, map[rune]int) {
	m, n := map[string]mask{}, map[rune]int{}
	for _, w := range words {
		for s := range strings.FieldsSeq(w.list) {
			folded := string(foldWord(nil, s))
			english := w.classes&foreign == 0
			if old, ok := m[folded]; ok && !english && old&foreign == 0 {
				// A word of two languages keeps to the rules of English.
				m[folded] |= w.classes &^ foreign
				continue
			}
			m[folded] |= w.classes
		}
	}
	for _, w := range unspaced {
		for s := range strings.FieldsSeq(w.list) {
			m[s] |= w.classes
			r := []rune(s)
			n[r[0]] = max(n[r[0]], len(r))
		}
	}
	return m, n
}()
